import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePythonTool, localCloudTool } from '../../bin/dev/local-cloud/install.ts';
import type { PrintingEngine } from '../../functions/templates/pdf/engine-function.ts';
import { bundleFunctions, functionEntries, packageRoot } from '../../lib/bundling/bundle.ts';
import { loadSvcConfig } from '../../lib/configuration/svc-config.ts';
import { platformModules } from '../../lib/modules.ts';
import { ProjectCopy } from '../helpers/cloud/cloud-start-process.ts';
import { installedChromium } from '../helpers/templates/chromium.ts';
import { installedLibreOffice } from '../helpers/templates/libreoffice.ts';
import { type Benchmark, benchFolder, type Figure, median } from './benchmark.ts';
import { aDocument, HTML, print, time } from './documents/engine-work.ts';
import { hasSoffice, timeSoffice } from './documents/fresh-soffice.ts';
import { hostilePrints } from './documents/hostile-prints.ts';

const ROUNDS = 9;
const STARTS = 3;
const STAGE = 'bench';
const MEGABYTE = 1_048_576;
const TEMPLATES = '/api/v1/templates';

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

async function timePrints(): Promise<Figure[]> {
  await ensurePythonTool(localCloudTool);
  const project = new ProjectCopy();
  const engine = installedLibreOffice();
  try {
    await project.start();
    const figures: Figure[] = [];
    const isComparable = hasSoffice();
    for (const pages of [4, 50]) {
      const path = await aTemplate(project, pages);
      const bytes = aDocument(pages);
      const [whole, bare]: [number[], number[]] = [[], []];
      for (let round = 0; round <= ROUNDS; round += 1) {
        whole.push(await time(() => generate(project, path, round)));
        bare.push(await time(() => print(engine, 'docx', bytes)));
      }
      // The first ones start what the others find.
      const [value, alone] = [median(whole.slice(1)), median(bare.slice(1))];
      figures.push({
        what: `a PDF of ${pages} pages over HTTP, warm`,
        ...{ value, unit: 'ms', goal: 1.5 },
        floor: { what: 'the engine alone', value: alone },
      });
      if (isComparable) figures.push(besideSoffice(pages, value));
    }
    return figures;
  } finally {
    await engine.stop();
    await project.remove();
  }
}

const besideSoffice = (pages: number, value: number): Figure => ({
  what: `the same, ${pages} pages`,
  ...{ value, unit: 'ms', goal: 0.3 },
  floor: {
    what: 'an installed LibreOffice that is started for it',
    value: timeSoffice(aDocument(pages)),
  },
});

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
