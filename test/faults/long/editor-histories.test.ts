import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { versionedStorage } from '../../helpers/editor/versioned-storage.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { LETTER, pathOf } from '../../unit/editor/editor-api.ts';
import { anOpenDocument, letter } from '../../unit/editor/saving/saves.ts';
import { type MortalWorld, mortalEditor } from '../harness/mortal-editors.ts';
import { amount, seed as firstSeed, report } from '../harness/run.ts';

const KINDS = [true, false].flatMap((putIf) => [
  { putIf, options: {} },
  { putIf, options: { memory: { mostInMemory: 100, partBytes: 400 } } },
]);
/** Longer than a call may take. */
const LATER_MS = 40_000;
const NEVER = Number.POSITIVE_INFINITY;
const END = 'end';

const hashOf = (file: Uint8Array) => createHash('sha256').update(file).digest('hex');

/** A document whose saves are reported at once and again, to functions that end anywhere, over services that fail. */
async function aHistory(seed: number, { putIf, options }: (typeof KINDS)[number]) {
  const random = seededRandom(seed);
  const storage = versionedStorage();
  storage.files.set(LETTER, letter('original'));
  let isBroken = random() < 0.7;
  const living = await anOpenDocument({
    ...{ ...options, storage, pause: () => sleep(3), dbAttempts: 3 },
  });
  const { context, server, key, opened } = living;
  server.answer = ({ url = '' }, response) => {
    const text = /name=([\w-]+)/.exec(url)?.[1] ?? '';
    setTimeout(() => response.end(letter(text)), random() * 6);
  };
  const world: MortalWorld = {
    ...{ context, storage, random, putIf },
    share: () => (isBroken ? 0.03 : 0),
  };
  const answers = new Map<string, number[]>();
  let tries = 0;
  const send = async (status: number, name: string, dieAt: number): Promise<number> => {
    tries += 1;
    const url = `${server.url}/cache/files/${name}/output.docx?name=${name}&try=${tries}`;
    const claims = { key, status, url, filetype: 'docx', users: [name] };
    const docs = { 'document-server-url': server.url };
    const answer = await mortalEditor(world, dieAt, { ...options, docs }).call({
      ...{ method: 'POST', path: pathOf(opened.editorConfig.callbackUrl ?? ''), caller: null },
      body: { ...claims, token: await living.sign(claims) },
    });
    answers.set(name, [...(answers.get(name) ?? []), answer.status]);
    return answer.status;
  };
  return {
    ...{ random, storage, living, key, answers, send },
    fail(): void {
      const faults = ['conflict', 'throttling', 'answer-lost'] as const;
      if (isBroken) context.db.failAtRandom({ seed, share: 0.04, faults });
    },
    heal(): void {
      context.db.stopFailing();
    },
    mend(): void {
      isBroken = false;
      context.db.stopFailing();
    },
    later: () => context.machineClock.advance(LATER_MS),
    /** How often a save was told of: the relay sends what its function could not. */
    toldOf: (name: string) =>
      context.db
        .items()
        .filter(({ topic }) => topic === 'docs.document.saved')
        .filter(({ payload }) => JSON.parse(String(payload)).userId === name).length,
  };
}

type History = Awaited<ReturnType<typeof aHistory>>;

/** Saves while it is edited, some of them at once or reported twice. @returns their names */
async function saveMeanwhile({ random, send, later }: History): Promise<string[]> {
  const names: string[] = [];
  for (let round = 1 + Math.floor(random() * 3); round > 0; round -= 1) {
    const size = 1 + Math.floor(random() * 3);
    const added = Array.from({ length: size }, (_, at) => `save-${names.length + at}`);
    names.push(...added);
    const reports = added.flatMap((name) => (random() < 0.3 ? [name, name] : [name]));
    await Promise.all(
      reports.map((name) => send(6, name, random() < 0.4 ? Math.floor(random() * 14) : NEVER)),
    );
    if (random() < 0.5) later();
  }
  return names;
}

/** The end of the editing, as the editing server reports it until it is taken. */
async function end({ random, send, mend, later }: History): Promise<number> {
  const count = 1 + Math.floor(random() * 5);
  await Promise.all(
    Array.from({ length: count }, () =>
      send(2, END, random() < 0.5 ? Math.floor(random() * 16) : NEVER),
    ),
  );
  mend();
  later();
  let status = 0;
  for (let tries = 0; tries < 3 && status !== 200; tries += 1) status = await send(2, END, NEVER);
  return status;
}

/** What is false of a history that has ended; empty: nothing was lost or doubled. */
async function faultsOf(history: History, names: readonly string[]): Promise<string[]> {
  const { storage, living, answers, toldOf, later } = history;
  const nameOf = new Map(names.map((name) => [hashOf(letter(name)), name]));
  const stored = (path: string) =>
    (storage.kept.get(path) ?? []).map(({ body }) => nameOf.get(hashOf(body)));
  const everywhere = new Set([...storage.kept.keys()].flatMap(stored));
  later();
  const { body } = await living.get(`/api/v1/docs/documents/doc-1/versions?fileId=${LETTER}`);
  const versions = (body.history as { user?: { id: string } }[]).map(({ user }) => user?.id);
  const parts = [...storage.files.keys()].filter((path) => path.includes('.part-'));
  const ofSaves = names.flatMap((name) => {
    const statuses = answers.get(name) ?? [];
    const isTaken = statuses.includes(200);
    return [
      ...(statuses.every((status) => status === 200 || status === 503) ? [] : ['another answer']),
      ...(toldOf(name) > 1 ? ['told twice'] : []),
      ...(isTaken && toldOf(name) === 0 ? ['not told'] : []),
      ...(isTaken && !everywhere.has(name) ? ['lost'] : []),
    ].map((fault) => `${name}: ${fault}`);
  });
  return [
    ...ofSaves,
    ...(new Set(versions).size === versions.length ? [] : ['a version twice']),
    ...stored(LETTER).flatMap((name) =>
      name === undefined || versions.includes(name) ? [] : [`${name}: no version`],
    ),
    ...parts.map((path) => `${path} is left`),
  ];
}

describe.each(KINDS)('saves of a document, whatever fails: %j', (kind) => {
  it('are each stored and told of once, and the key changes at the end', async () => {
    const count = amount({ long: 200, short: 10 });
    let taken = 0;
    let refused = 0;
    for (let at = 0; at < count; at += 1) {
      const seed = firstSeed + at;
      const history = await aHistory(seed, kind);
      history.fail();
      const names = await saveMeanwhile(history);
      history.heal();
      const meanwhile = (await history.living.reopen()).document.key;
      history.fail();
      const last = await end(history);

      const faults = await faultsOf(history, [...names, END]);

      const where = `seed ${seed}: ${JSON.stringify([...history.answers])}`;
      expect(faults, where).toEqual([]);
      expect([last, meanwhile === history.key], where).toEqual([200, true]);
      expect(hashOf(history.storage.files.get(LETTER) ?? Buffer.alloc(0)), where).toBe(
        hashOf(letter(END)),
      );
      expect((await history.living.reopen()).document.key, where).not.toBe(history.key);
      const statuses = [...history.answers.values()].flat();
      taken += statuses.filter((status) => status === 200).length;
      refused += statuses.filter((status) => status !== 200).length;
      await history.living.server.close();
    }
    report('histories of saves', { ...kind, count, taken, refused });
  });
});
