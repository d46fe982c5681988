import Docxtemplater from 'docxtemplater';
import { unzipSync, zipSync } from 'fflate';
import PizZip from 'pizzip';
import { inspectDocx, normaliseDocx, openDocx, writeDocx } from '../../shared/docx/index.ts';
import { renderDocx } from '../../shared/docx/render/render-docx.ts';
import { makeDocx } from '../helpers/docx/make-docx.ts';
import { aGenerationsApi } from '../unit/templates/generations/generations-api.ts';
import type { Benchmark, Figure } from './benchmark.ts';
import { hostileFigures } from './documents/hostile.ts';

const ROUNDS = 25;
const WARM_UP = 8;
const GROUPS = 50;
const FIELDS = 500;
const TEXT =
  'Bên A và Bên B cùng thỏa thuận ký kết hợp đồng này với các điều khoản sau đây để làm căn cứ thực hiện. ';

/** What it costs to inspect, normalise and fill a template, from the bytes of the file to those of the output. */
export default {
  name: 'Documents',
  async run(say) {
    const file = aTemplate();
    const normalised = writeDocx(normaliseDocx(await openDocx(file)).pkg);
    const values = Object.fromEntries(names.map((name) => [name, `Giá trị của ${name}`]));
    say(
      `${FIELDS} fields on ${GROUPS} groups of pages, ${Math.round(file.length / 1024)} KiB, ${ROUNDS} rounds`,
    );
    const [plain = 0, ours = 0, inspected = 0, cleaned = 0, packed = 0] = await measure([
      () => fillPlainly(file, values),
      () => generate(normalised, values),
      async () => inspectDocx(await openDocx(file)),
      async () => writeDocx(normaliseDocx(await openDocx(file)).pkg),
      async () => zipSync(unzipSync(file)),
    ]);
    const figure = (what: string, value: number, goal: number | undefined): Figure => ({
      what,
      value,
      unit: 'ms of CPU',
      floor: { what: 'docxtemplater alone', value: plain },
      ...(goal !== undefined && { goal }),
    });
    return [
      figure('generate: checks, values, controls and locks', ours, 1.5),
      figure('inspect: checks and markers', inspected, 0.4),
      figure('normalise: checks, markers and controls', cleaned, 0.8),
      figure('unpack and pack the archive alone, with fflate', packed, undefined),
      ...(await costs()),
      ...(await hostileFigures()),
    ];
  },
} satisfies Benchmark;

/** What a document costs in the table: the first call with a key, and one that repeats it. */
async function costs(): Promise<Figure[]> {
  const world = await aGenerationsApi({ text: '{{documentNumber}} {{ho_ten}}' });
  // As the bucket does: links are signed without a request.
  Object.assign(world.storage, { downloadLink: async () => 'https://files.example/x' });
  const { meter } = world.context.db;
  const generate = () => world.generate({ entityData: { ho_ten: 'An' }, idempotencyKey: 'k' });
  const [first, again] = [await meter.costOf(generate), await meter.costOf(generate)];
  const figure = (what: string, value: number, unit: string): Figure => ({ what, value, unit });
  return [
    figure('a document with a number, first call with its key', first.requests.length, 'requests'),
    figure('the same', first.writeUnits, 'write units'),
    figure('the same', first.readUnits, 'read units'),
    figure('the call again', again.requests.length, 'requests'),
  ];
}

const names = Array.from({ length: FIELDS }, (_, index) => `field_${index}`);

function aTemplate(): Buffer {
  const paragraph = (name: string): string =>
    `<w:p><w:pPr><w:jc w:val="both"/></w:pPr><w:r><w:rPr><w:sz w:val="26"/></w:rPr><w:t xml:space="preserve">${TEXT.repeat(2)}</w:t></w:r>` +
    `<w:r><w:rPr><w:b/></w:rPr><w:t>{{${name}}}</w:t></w:r></w:p>`;
  const size = FIELDS / GROUPS;
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    names
      .slice(group * size, (group + 1) * size)
      .map(paragraph)
      .join(''),
  );
  return makeDocx({ body: groups.join('<w:p><w:r><w:br w:type="page"/></w:r></w:p>') });
}

type Values = Readonly<Record<string, string>>;

async function fillPlainly(file: Buffer, values: Values): Promise<unknown> {
  const template = new Docxtemplater(new PizZip(file), {
    delimiters: { start: '{{', end: '}}' },
    paragraphLoop: true,
    linebreaks: true,
  });
  template.render(values);
  return template.getZip().generate({ type: 'nodebuffer', compression: 'DEFLATE' });
}

async function generate(file: Buffer, values: Values): Promise<unknown> {
  const { pkg } = await renderDocx(
    await openDocx(file),
    {
      output: 'DOCX',
      lockType: 'TYPE_2',
      valueOf: (name) => ({
        shown: { kind: 'text', text: values[name] ?? '' },
        isEmpty: false,
        isBound: true,
        lockedInOutput: true,
      }),
      listOf: () => undefined,
      isTrue: () => false,
    },
    names,
  );
  return writeDocx(pkg);
}

/** First quartiles of the CPU time of each work, the rounds taken in turn: others on the machine make rounds longer, never shorter. */
async function measure(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const [index, work] of works.entries()) {
      // What the work before has left is collected in the time of a round that does not count.
      await work();
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UP) times[index]?.push((user + system) / 1_000);
    }
  }
  return times.map((each) => [...each].sort((a, b) => a - b)[Math.floor(each.length / 4)] ?? 0);
}
