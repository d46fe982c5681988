import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeDocx, paragraph } from '../../helpers/docx/make-docx.ts';
import type { EditorProcess, EditorSetup } from '../harness/editor-processes.ts';
import {
  type EditingServer,
  editingServer,
  hashOf,
  openIn,
  SECRET,
  useEditorWorld,
} from '../harness/editor-world.ts';
import { report } from '../harness/run.ts';

const MIB = 1_048_576;
const LARGE_MIB = 100;
const MEMORY_MIB = 512;
const EDITORS = 20;
const letters = new Map<string, Buffer>();
/** The same bytes for the same text: an archive holds the time of its making. */
function letter(text: string): Buffer {
  const made = letters.get(text) ?? makeDocx({ body: paragraph(text) });
  letters.set(text, made);
  return made;
}

const world = useEditorWorld();
let server: EditingServer;
const processes: EditorProcess[] = [];
const start = async (setup: Partial<EditorSetup> = {}) => {
  const process = await server.start(world.cloud(), setup);
  processes.push(process);
  return process;
};

beforeAll(async () => {
  await world.keepVersions();
  server = await editingServer(letter('edited'));
});
afterEach(() => Promise.all(processes.splice(0).map((process) => process.stop())));
afterAll(() => server.close());

async function aDocument(name: string, process: EditorProcess) {
  const fileId = `documents/saves/${name}.docx`;
  await world.put(fileId, letter('as it was'));
  return openIn(process, fileId);
}

describe('a document of 100 MiB', () => {
  it('is stored by a function of 512 MB', { timeout: 300_000 }, async () => {
    const process = await start();
    const document = await aDocument('large', process);
    const bytes = randomBytes(LARGE_MIB * MIB);
    server.answer = (_, response) => response.end(bytes);
    const before = process.peakMemory();

    const answer = await server.report(process, document, { status: 2, name: 'large' });

    const peak = process.peakMemory();
    report('100 MiB', { beforeMib: Math.round(before), peakMib: Math.round(peak) });
    expect(answer?.status).toBe(200);
    expect(peak).toBeLessThan(MEMORY_MIB);
    expect(await world.outcome(document.fileId)).toMatchObject({
      ...{ hash: hashOf(bytes), versions: 2, events: 1, rev: 2 },
    });
  });
});

/** Sends some bytes one by one, and breaks off. */
async function trickle(response: ServerResponse, bytes: Uint8Array, pauseMs: number) {
  response.writeHead(200, { 'content-length': '10000' });
  for (const byte of bytes) {
    response.write(Buffer.of(byte));
    await sleep(pauseMs);
    if (response.destroyed) return;
  }
  response.destroy();
}

describe('a document server', () => {
  const bytes = letter('at last');
  const faults: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    SLOW: (response) => trickle(response, bytes, 1_000),
    BROKEN: (response) => trickle(response, bytes.subarray(0, 2), 10),
    SILENT: () => undefined,
    BUSY: (response) => response.writeHead(503).end(),
  };

  it.each([
    ['sends a byte a second', 'SLOW'],
    ['breaks off', 'BROKEN'],
    ['answers nothing', 'SILENT'],
    ['is busy', 'BUSY'],
  ])('that %s gets 503, and its next try is stored', { timeout: 120_000 }, async (_, fault) => {
    const process = await start();
    const document = await aDocument(fault, process);
    server.answer = (_request, response) => faults[fault]?.(response);

    const broken = await server.report(process, document, { status: 2, name: fault });
    const meanwhile = await world.outcome(document.fileId);
    server.answer = (_request, response) => response.end(bytes);
    const next = await server.report(process, document, { status: 2, name: fault });

    expect([broken?.status, next?.status]).toEqual([503, 200]);
    expect(meanwhile).toMatchObject({
      ...{ hash: hashOf(letter('as it was')), key: document.key, rev: 1, events: 0, failures: 1 },
    });
    expect(await world.outcome(document.fileId)).toMatchObject({
      ...{ hash: hashOf(bytes), versions: 2, files: [document.fileId], events: 1, rev: 2 },
    });
  });
});

describe('twenty editors of one file', () => {
  const ROUNDS = 4;

  it('have one key, and each save is stored and told of once', { timeout: 300_000 }, async () => {
    const functions = await Promise.all([start(), start(), start()]);
    const of = (at: number) => functions[at % functions.length] as EditorProcess;
    const { fileId } = await aDocument('twenty', of(0));
    const everybody = Array.from({ length: EDITORS }, (_, at) => at);
    const opened = await Promise.all(everybody.map((at) => openIn(of(at), fileId, `user-${at}`)));
    expect(new Set(opened.map(({ key }) => key)).size).toBe(1);
    const all = (save: (at: number) => { status: number; name?: string; users?: string[] }) =>
      Promise.all(
        opened.map(async (document, at) => {
          const answer = await server.report(of(at), document, save(at));
          return JSON.stringify([answer?.status, answer?.body]);
        }),
      );
    const accepted = new Set([JSON.stringify([200, { error: 0 }])]);

    const users = everybody.map((at) => `user-${at}`);
    const joined = await all((at) => ({ status: 1, users: users.slice(0, at + 1) }));
    expect(new Set(joined)).toEqual(accepted);
    for (let round = 1; round <= ROUNDS; round += 1) {
      server.answer = (_, response) => response.end(letter(`round ${round}`));
      const status = round === ROUNDS ? 2 : 6;
      expect(new Set(await all(() => ({ status, name: `${round}` })))).toEqual(accepted);
      const { key, events } = await world.outcome(fileId);
      expect([key === opened[0]?.key, events]).toEqual([status === 6, round]);
    }

    const outcome = await world.outcome(fileId);
    report('twenty editors', { callbacks: (ROUNDS + 1) * EDITORS, versions: outcome.versions });
    expect(outcome).toMatchObject({
      ...{ hash: hashOf(letter(`round ${ROUNDS}`)), versions: 1 + ROUNDS, events: ROUNDS },
      ...{ files: [fileId], rev: 2, state: 'SAVED', failures: 0 },
    });
  });
});

describe('a secret that is replaced while a document is edited', () => {
  const NEXT = 'the-next-secret-of-the-fault-runs-0123456789';

  it('loses no save, whoever signs with which', { timeout: 120_000 }, async () => {
    const old = await start();
    const renewed = await start({ docs: { secret: NEXT, 'previous-secret': SECRET } });
    const document = await aDocument('rotated', old);
    const texts = ['before', 'by the old one', 'by the new one', 'at the end'];
    const saves = [
      { process: old, status: 6, secret: SECRET },
      { process: renewed, status: 6, secret: SECRET },
      { process: renewed, status: 6, secret: NEXT },
      { process: renewed, status: 2, secret: NEXT },
    ];

    const statuses: unknown[] = [];
    for (const [at, { process, status, secret }] of saves.entries()) {
      server.answer = (_, response) => response.end(letter(texts[at] ?? ''));
      const answer = await server.report(process, document, { status, name: `${at}` }, { secret });
      statuses.push(answer?.status);
      expect((await world.outcome(document.fileId)).rev).toBe(status === 6 ? 1 : 2);
    }
    const later = await openIn(renewed, document.fileId);
    const foreign = await server.report(old, later, { status: 2, name: 'x' }, { secret: NEXT });

    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(foreign?.status).toBe(403);
    expect(await world.outcome(document.fileId)).toMatchObject({
      ...{ hash: hashOf(letter('at the end')), versions: 5, events: 4, rev: 2, failures: 0 },
      ...{ files: [document.fileId], key: later.key },
    });
  });
});
