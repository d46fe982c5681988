import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { steps } from './dying-steps.ts';
import { anOpenDocument, letter } from './saves.ts';

const textOf = (file: Uint8Array | undefined): string =>
  file ? JSON.stringify([...readParagraphs(file)]) : '';

const FORMATS = ['docm', 'dotm'];
const SHARED = 'documents/plan.docx';

/** Two documents of one name in old formats: what is saved of both wants to be one file. */
async function twoDocuments(options: object = {}) {
  const storage = versionedStorage();
  for (const format of FORMATS) storage.files.set(`documents/plan.${format}`, Buffer.from(format));
  const world = await anOpenDocument({ storage, pause: () => sleep(5), ...options });
  onTestFinished(() => world.server.close());
  const configs = await Promise.all(
    FORMATS.map((format) => {
      const file = { fileId: `documents/plan.${format}`, fileName: `plan.${format}` };
      return world.openAs({ ...file, documentId: format });
    }),
  );
  world.server.answer = (request, response) =>
    response.end(letter(/text=(\w+)/.exec(request.url ?? '')?.[1] ?? ''));
  const url = (text: string) => `${world.server.url}/cache/files/${text}/output.docx?text=${text}`;
  const save = (at: number, text: string, status = 6) =>
    world.save(status, { url: url(text) }, { config: configs[at] ?? world.opened });
  return { ...world, storage, save };
}

/** Holds each write of the shared place until it is told to go on. */
function slowly({ storage }: Awaited<ReturnType<typeof twoDocuments>>) {
  const { put } = storage;
  const counts = { underWay: 0, most: 0 };
  storage.put = async (...given) => {
    counts.underWay += 1;
    counts.most = Math.max(counts.most, counts.underWay);
    await sleep(40);
    counts.underWay -= 1;
    return put(...given);
  };
  return counts;
}

describe('documents that are saved to one place, where the storage cannot check and write in one step', () => {
  it.each([2, 6])('lose nothing when both are saved at once: status %i', async (status) => {
    const world = await twoDocuments();
    const counts = slowly(world);

    const answers = await Promise.all([
      world.save(0, 'first', status),
      world.save(1, 'second', status),
    ]);

    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    const paths = world
      .events()
      .map((event) => (event as { editedFilePath?: string }).editedFilePath);
    expect([new Set(paths).size, counts.most]).toEqual([2, 1]);
    const texts = paths.map((path) => textOf(world.stored(path)));
    expect(texts.filter((text) => text.includes('first'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('second'))).toHaveLength(1);
    expect(world.writes(SHARED)).toBe(1);
  });

  it('go on at once behind one that has failed', async () => {
    const world = await twoDocuments();
    const { put } = world.storage;
    world.storage.put = () => Promise.reject(new Error('The storage is down'));
    const broken = await world.save(0, 'first', 2);
    world.storage.put = put;

    const { status } = await world.save(1, 'second', 2);

    expect([broken.status, status]).toEqual([503, 200]);
    expect(textOf(world.stored(SHARED))).toContain('second');
    expect((await world.save(0, 'first', 2)).status).toBe(200);
    expect(textOf(world.stored(SHARED))).toContain('second');
  });

  it('lose nothing when a function ends at any step of the first, and the other one comes behind', async () => {
    for (let step = 0; ; step += 1) {
      const world = await twoDocuments({ pause: undefined });
      const watched = steps(world);
      watched.endAfter(step);
      const { status } = await world.save(0, 'first');
      watched.restart();
      const at = `step ${step}`;
      const isWritten = textOf(world.stored(SHARED)).includes('first');

      world.context.machineClock.advance(40_000);
      const others = [await world.save(1, 'second', 2), await world.save(0, 'third', 2)];

      expect(
        others.map((each) => each.status),
        at,
      ).toEqual([200, 200]);
      const texts = [...world.storage.files].map(([path, file]) =>
        /plan.*docx$/.test(path) ? textOf(file) : '',
      );
      expect(
        texts.filter((text) => text.includes('second')),
        at,
      ).toHaveLength(1);
      expect(
        texts.filter((text) => text.includes('third')),
        at,
      ).toHaveLength(1);
      expect(world.events().length, at).toBe(2 + Number(isWritten));
      if (status === 200) return;
    }
  });

  it('are not forgotten by a save that has nothing to write', async () => {
    const world = await anOpenDocument({ pause: () => sleep(5), storage: versionedStorage() });
    onTestFinished(() => world.server.close());
    world.server.answer = (request, response) =>
      response.end(letter(/text=(\w+)/.exec(request.url ?? '')?.[1] ?? ''));
    const save = (text: string, name: string) =>
      world.save(6, { url: `${world.server.url}/cache/files/${name}/output.docx?text=${text}` });
    await save('same', 'first');
    const { put } = world.storage;
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    world.storage.put = async (...given) => {
      begun.resolve();
      await go.promise;
      return put(...given);
    };
    const slow = save('other', 'second');
    await begun.promise;

    await save('same', 'third');

    const leases = JSON.stringify(world.context.db.items()).match(/"leaseUntil":[1-9]/g);
    go.resolve();
    expect((await slow).status).toBe(200);
    expect(leases?.length).toBeGreaterThan(1);
    expect(textOf(world.stored())).toContain('other');
  });
});
