import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePythonTool, localCloudTool } from '../../../bin/dev/local-cloud/install.ts';
import { ProjectCopy } from '../../helpers/cloud/cloud-start-process.ts';
import { makeDocx, paragraph } from '../../helpers/docx/make-docx.ts';
import { report } from '../harness/run.ts';

const AT_ONCE = 8;
const SAMPLE_MS = 250;
/** Memory of a process that nothing but an engine needs (KiB). */
const ENGINE_KIB = 600 * 1_024;
const TEMPLATES = '/api/v1/templates';

let project: ProjectCopy;
beforeAll(async () => {
  await ensurePythonTool(localCloudTool);
  project = new ProjectCopy();
  await project.start();
});
afterAll(() => project.remove());

/** Calls the platform as a client that waits as long as it is told to. */
async function call(path: string, init: RequestInit): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, ...init.headers };
  for (;;) {
    const answer = await fetch(`${project.outputs().baseUrl}${path}`, { ...init, headers });
    const retryAfter = answer.headers.get('retry-after');
    const body: unknown = await answer.json();
    if (answer.status !== 503 || retryAfter === null) return { status: answer.status, body };
    waits += 1;
    await sleep(Number(retryAfter) * 1_000);
  }
}
let token = '';
let waits = 0;

const post = (path: string, body: object) =>
  call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function aTemplate(): Promise<string> {
  const { body } = await post(TEMPLATES, { code: 'load', name: 'Load', type: 'TYPE_3' });
  const path = `${TEMPLATES}/${(body as { id: string }).id}`;
  const form = new FormData();
  const text = paragraph(`Kính gửi {{name}}${', và các bên có liên quan'.repeat(150)}.`);
  form.append('file', new Blob([Uint8Array.from(makeDocx({ body: text.repeat(20) }))]), 'a.docx');
  expect((await call(`${path}/file`, { method: 'PUT', body: form })).status).toBe(200);
  return path;
}

/** Processes below that of the local cloud that are as large as engines (KiB of each). */
function engines(): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  const below = new Set([project.cloudPid()]);
  for (let before = 0; before !== below.size; ) {
    before = below.size;
    for (const [pid = 0, parent = 0] of rows) if (below.has(parent)) below.add(pid);
  }
  return rows.flatMap(([pid = 0, , rss = 0]) => (below.has(pid) && rss > ENGINE_KIB ? [rss] : []));
}

describe('eight PDFs at once', () => {
  it('arrive at clients that come again when they are told to, printed by two engines at the most', async () => {
    token = project.token();
    const path = await aTemplate();
    const samples: number[][] = [];
    let isDone = false;
    const sampling = (async () => {
      while (!isDone) {
        samples.push(engines());
        await sleep(SAMPLE_MS);
      }
    })();

    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        post(`${path}/generate`, {
          ...{ outputFormat: 'PDF', entityData: { name: `Nguyễn ${at}` } },
          idempotencyKey: `load-${at}`,
        }),
      ),
    );
    isDone = true;
    await sampling;

    const [counts, sizes] = [samples.map((each) => each.length), samples.flat()];
    report('eight PDFs at once', {
      waits,
      engines: Math.max(...counts),
      largestMib: Math.round(Math.max(...sizes) / 1_024),
    });
    expect(answers.filter(({ status }) => status > 201)).toEqual([]);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    expect(Math.max(...counts)).toBeGreaterThan(0);
  });
});
