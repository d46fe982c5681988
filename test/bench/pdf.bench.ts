import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePythonTool, localCloudTool } from '../../bin/dev/local-cloud/install.ts';
import type { PrintingEngine } from '../../functions/templates/pdf/engine-function.ts';
import { bundleFunctions, functionEntries, packageRoot } from '../../lib/bundling/bundle.ts';
import { loadSvcConfig } from '../../lib/configuration/svc-config.ts';
import { platformModules } from '../../lib/modules.ts';
import { writeHtml } from '../../shared/docx/html/write-html.ts';
import { normaliseDocx, openDocx } from '../../shared/docx/index.ts';
import { ProjectCopy } from '../helpers/cloud/cloud-start-process.ts';
import { allHostileFiles } from '../helpers/docx/hostile/all-files.ts';
import { documentWithOutside } from '../helpers/docx/hostile/outside.ts';
import { makeDocx, paragraph } from '../helpers/docx/make-docx.ts';
import { installedChromium } from '../helpers/templates/chromium.ts';
import { installedLibreOffice } from '../helpers/templates/libreoffice.ts';
import { type Benchmark, benchFolder, type Figure, median } from './benchmark.ts';

const ROUNDS = 9;
const STARTS = 3;
const LIMIT_MS = 60_000;
/** Longest that a hostile file may take. */
const GOAL_MS = 2_000;
const STAGE = 'bench';
const MEGABYTE = 1_048_576;
const TEMPLATES = '/api/v1/templates';
const NEXT_PAGE = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';
const LINE =
  'Bên A và Bên B cùng thỏa thuận ký kết hợp đồng này với các điều khoản sau đây. '.repeat(8);
const job = { at: '2026-01-02T03:04:05.000Z', pdfA: false, tagged: false } as const;

/** PDFs over HTTP against the engine alone, the start of each engine, and what its function weighs. */
export default {
  name: 'PDFs',
  async run(say) {
    say('weighing the functions of the engines');
    const weights = (['libreoffice', 'chromium'] as const).map(weightOf);
    say(`starting each engine ${STARTS} times`);
    const starts = [
      await timeStarts('libreoffice', installedLibreOffice, () => aDocument(1)),
      await timeStarts('chromium', installedChromium, () => Buffer.from(HTML)),
    ];
    say('printing hostile files');
    const hostile = await hostilePrints();
    say(`printing ${ROUNDS} times over HTTP and without it`);
    return [...(await timePrints()), ...starts, ...hostile, ...weights];
  },
} satisfies Benchmark;

const HTML =
  '<!DOCTYPE html><html lang="vi"><head><title>t</title></head><body>Độc lập</body></html>';

/** A document of some pages, with a field on each. */
const aDocument = (pages: number, field = 'Ấn'): Buffer =>
  makeDocx({
    body: Array.from({ length: pages }, () =>
      [paragraph(`Kính gửi ${field}`), ...Array.from({ length: 4 }, () => paragraph(LINE))].join(
        '',
      ),
    ).join(NEXT_PAGE),
  });

async function timePrints(): Promise<Figure[]> {
  await ensurePythonTool(localCloudTool);
  const project = new ProjectCopy();
  const engine = installedLibreOffice();
  try {
    await project.start();
    const figures: Figure[] = [];
    for (const pages of [4, 50]) {
      const path = await aTemplate(project, pages);
      const [whole, bare]: [number[], number[]] = [[], []];
      for (let round = 0; round <= ROUNDS; round += 1) {
        whole.push(await time(() => generate(project, path, round)));
        bare.push(await time(() => print(engine, 'docx', aDocument(pages))));
      }
      // The first ones start what the others find.
      const [value, alone] = [median(whole.slice(1)), median(bare.slice(1))];
      figures.push({
        what: `a PDF of ${pages} pages over HTTP, warm`,
        ...{ value, unit: 'ms', goal: 1.5 },
        floor: { what: 'the engine alone', value: alone },
      });
    }
    return figures;
  } finally {
    await engine.stop();
    await project.remove();
  }
}

async function aTemplate(project: ProjectCopy, pages: number): Promise<string> {
  const template = { code: `pages-${pages}`, name: 'Bench', type: 'TYPE_3' };
  const made = await call(project, 'POST', TEMPLATES, JSON.stringify(template));
  const path = `${TEMPLATES}/${made.id}`;
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(aDocument(pages, '{{name}}'))]), 'bench.docx');
  await call(project, 'PUT', `${path}/file`, form);
  return path;
}

const generate = (project: ProjectCopy, path: string, round: number) =>
  call(
    project,
    'POST',
    `${path}/generate`,
    JSON.stringify({ outputFormat: 'PDF', entityData: { name: `Ấn ${round}` } }),
  );

const tokens = new WeakMap<ProjectCopy, string>();

async function call(project: ProjectCopy, method: string, path: string, body: string | FormData) {
  const token = tokens.get(project) ?? project.token();
  tokens.set(project, token);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(`${project.outputs().baseUrl}${path}`, { method, headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${text}`);
  return JSON.parse(text) as { id: string };
}

async function timeStarts(
  name: string,
  make: () => PrintingEngine & { stop(): Promise<void> },
  bytes: () => Uint8Array,
): Promise<Figure> {
  const times: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const engine = make();
    times.push(await time(() => print(engine, name === 'chromium' ? 'html' : 'docx', bytes())));
    await engine.stop();
  }
  return { what: `${name}: from its start to the first PDF`, value: median(times), unit: 'ms' };
}

/** What an engine that is warm makes of hostile files, and of a document that takes in what lies elsewhere. */
async function hostilePrints(): Promise<Figure[]> {
  const outside = documentWithOutside('http://127.0.0.1:1');
  const page = writeHtml(normaliseDocx(await openDocx(outside)).pkg, {
    title: 't',
    language: 'vi',
  });
  const files = Object.values(allHostileFiles()).flat();
  return [
    await slowestPrint('libreoffice', installedLibreOffice(), [
      ...files.map(([what, bytes]) => [what, bytes] as const),
      ['asks for what is elsewhere', outside],
    ]),
    await slowestPrint('chromium', installedChromium(), [
      ['asks for what is elsewhere', Buffer.from(page.html)],
    ]),
  ];
}

async function slowestPrint(
  name: 'libreoffice' | 'chromium',
  engine: PrintingEngine & { stop(): Promise<void> },
  files: readonly (readonly [what: string, bytes: Uint8Array])[],
): Promise<Figure> {
  const format = name === 'chromium' ? 'html' : 'docx';
  await print(engine, format, format === 'html' ? Buffer.from(HTML) : aDocument(1));
  let [slowest, value] = ['', 0];
  for (const [what, bytes] of files) {
    // Most are refused.
    const ms = await time(() => print(engine, format, bytes).catch(() => undefined));
    if (ms > value) [slowest, value] = [what, ms];
  }
  await engine.stop();
  const what = `${name}: hostile files (${files.length}), the slowest: ${slowest}`;
  return { what, value, unit: 'ms', goal: GOAL_MS };
}

const print = (engine: PrintingEngine, format: 'docx' | 'html', bytes: Uint8Array) =>
  engine.print({ ...job, bytes, format }, Date.now() + LIMIT_MS);

async function time(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function weightOf(engine: 'libreoffice' | 'chromium'): Figure {
  const folder = benchFolder();
  try {
    const config = loadSvcConfig(
      { 'template.enabled': true, 'template.pdf-converter': engine },
      { stage: STAGE },
    );
    const name = `templates-pdf-${engine}`;
    const entries = functionEntries(platformModules, { stage: STAGE, config }).filter(
      (entry) => entry.name === name,
    );
    bundleFunctions(entries, { outdir: folder, hostEntry: join(packageRoot, 'bin/host.ts') });
    const sizes = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
    const value = sizes.reduce((sum, bytes) => sum + bytes, 0) / MEGABYTE;
    return { what: `${engine}: archive of its function`, value, unit: 'MB', goal: 250 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
