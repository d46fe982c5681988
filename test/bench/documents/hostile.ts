import { editedDocumentsPort } from '../../../functions/templates/index.ts';
import { inspectDocx, normaliseDocx, openDocx, writeDocx } from '../../../shared/docx/index.ts';
import { bindPort } from '../../../shared/module/bind-port.ts';
import { allHostileFiles } from '../../helpers/docx/hostile/all-files.ts';
import {
  editedDocx,
  endlessData,
  hostileData,
  hostileExpressions,
  hostileNames,
  hostileSources,
  lockedEdits,
} from '../../helpers/docx/hostile/calls.ts';
import { documentWithOutside } from '../../helpers/docx/hostile/outside.ts';
import { aGenerationsApi, letter } from '../../unit/templates/generations/generations-api.ts';
import { ofTenant } from '../../unit/templates/templates-api.ts';
import type { Figure } from '../benchmark.ts';

/** Longest that anything of the list may take (ms). */
const GOAL_MS = 2_000;

type Attempt = readonly [what: string, work: () => Promise<unknown>];

/** What hostile files and calls cost at the most, by the rows of the list of what is tried against templates. */
export async function hostileFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [row, attempts] of Object.entries(await rows())) {
    figures.push(await slowestOf(row, attempts));
  }
  return figures;
}

async function slowestOf(row: string, attempts: readonly Attempt[]): Promise<Figure> {
  let [slowest, value] = ['', 0];
  for (const [what, work] of attempts) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1_000;
    if (ms > value) [slowest, value] = [what, ms];
  }
  return {
    what: `hostile: ${row} (${attempts.length}), the slowest: ${slowest}`,
    value,
    unit: 'ms of CPU',
    goal: GOAL_MS,
  };
}

async function rows(): Promise<Record<string, readonly Attempt[]>> {
  const { archives, XML, masses, macros } = allHostileFiles();
  const uploads = (files: readonly (readonly [string, Uint8Array, string])[]): Attempt[] =>
    files.map(([what, bytes]) => [what, () => takeUp(bytes)]);
  return {
    '1 archives': uploads(archives),
    '2 XML': uploads([...XML, ...masses]),
    '3 macros': uploads(macros),
    '4 what is elsewhere': await outside(),
    '5 values': await values(),
    '6, 10 expressions and sources': await declarations(),
    '7 names and tenants': await names(),
    '9 locked values': await locks(),
  };
}

/** What an upload does with a file. */
async function takeUp(bytes: Uint8Array): Promise<void> {
  try {
    const { pkg } = normaliseDocx(await openDocx(bytes));
    inspectDocx(pkg);
    writeDocx(pkg);
  } catch {
    // It is refused.
  }
}

async function outside(): Promise<Attempt[]> {
  const world = await aGenerationsApi();
  const file = documentWithOutside('http://127.0.0.1:1');
  return [
    ['upload', () => world.api.upload(world.templateId, file)],
    ...['DOCX', 'HTML'].map((outputFormat): Attempt => {
      return [outputFormat, () => world.generate({ outputFormat })];
    }),
  ];
}

async function values(): Promise<Attempt[]> {
  const text = '{{ho_ten}}{{#list}}{{list.x}}{{/list}}{{#rows}}{{rows.n}}{{/rows}}';
  const world = await aGenerationsApi({ text });
  const all = [['markup and markers', hostileData()] as const, ...endlessData];
  return all.flatMap(([what, entityData]) =>
    ['DOCX', 'HTML'].map((outputFormat): Attempt => {
      return [`${what} (${outputFormat})`, () => world.generate({ outputFormat, entityData })];
    }),
  );
}

async function declarations(): Promise<Attempt[]> {
  const world = await aGenerationsApi();
  const declare = (field: object) => () =>
    world.put(`${world.path}/merge-fields`, { fields: [{ name: 'self', ...field }] });
  return [
    ...hostileExpressions.map((expression): Attempt => {
      return [expression, declare({ sourceType: 'COMPUTED', expression })];
    }),
    ...hostileSources.map((sourceRef): Attempt => {
      return [sourceRef, declare({ sourceType: 'SYSTEM', sourceRef })];
    }),
  ];
}

async function names(): Promise<Attempt[]> {
  const world = await aGenerationsApi();
  const { body } = await world.generate();
  const caller = ofTenant('other');
  return [
    ...hostileNames.map((fileName): Attempt => {
      return [
        JSON.stringify(fileName.slice(0, 20)),
        () => world.api.upload(world.templateId, letter('{{a}}'), { fileName }),
      ];
    }),
    ['finalize of another tenant', () => world.finalize(body.generationId, { caller })],
    [
      '50 equal calls at once',
      () => Promise.all(Array.from({ length: 50 }, () => world.generate({ idempotencyKey: 'k' }))),
    ],
  ];
}

async function locks(): Promise<Attempt[]> {
  const fields = [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }];
  return Promise.all(
    lockedEdits.map(async ([what, edit]): Promise<Attempt> => {
      const world = await aGenerationsApi({ fields });
      await world.generate({ entityData: { ho_ten: 'An' } });
      const [fileId = ''] = world.outputs();
      const content = await editedDocx(world.storage.files.get(fileId) ?? Buffer.alloc(0), edit);
      const edits = bindPort(editedDocumentsPort, world.context).use();
      const save = { fileId, content, userId: 'lan', isTerminal: true };
      return [what, () => world.context.unitOfWork((unit) => edits.save(unit, save))];
    }),
  );
}
