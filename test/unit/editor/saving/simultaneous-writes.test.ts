import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { LETTER } from '../editor-api.ts';
import { anOpenDocument, letter } from './saves.ts';

const textOf = (file: Uint8Array | undefined): string =>
  JSON.stringify([...readParagraphs(file ?? Buffer.alloc(0))]);

/** A document in a storage that cannot check and write in one step, whose first write takes until it is told to end. */
async function aSlowWrite(more: object = {}) {
  const storage = versionedStorage();
  const world = await anOpenDocument({ storage, pause: () => sleep(5), ...more });
  onTestFinished(() => world.server.close());
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const written: string[] = [];
  const { put } = storage;
  let writes = 0;
  let underWay = 0;
  let most = 0;
  storage.put = async (...given) => {
    writes += 1;
    underWay += 1;
    most = Math.max(most, underWay);
    if (writes === 1) {
      begun.resolve();
      await go.promise;
    }
    const facts = await put(...given);
    written.push(given[0]);
    underWay -= 1;
    return facts;
  };
  world.server.answer = (request, response) =>
    response.end(letter(request.url?.includes('/first/') ? 'FIRST' : 'SECOND'));
  const url = (name: string) => `${world.server.url}/cache/files/${name}/output.docx`;
  return {
    ...{ ...world, url, begun: begun.promise, go: go.resolve, written },
    mostAtOnce: () => most,
    report: (name: string, status: number) => world.save(status, { url: url(name) }),
  };
}

describe('saves of a document at once, where the storage cannot check and write in one step', () => {
  it.each([
    [2, [LETTER, LETTER], 'SECOND'],
    [6, [LETTER, expect.stringContaining('.conflict-')], 'FIRST'],
  ])('take turns: status %i', async (status, written, newest) => {
    const [waiting, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pause = () => {
      waiting.resolve();
      return ended.promise;
    };
    const world = await aSlowWrite({ pause });
    const first = world.report('first', 6);
    await world.begun;

    const second = world.report('second', status);
    await waiting.promise;
    world.go();
    first.finally(ended.resolve);

    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect([world.mostAtOnce(), world.written]).toEqual([1, written]);
    expect(textOf(world.stored())).toContain(newest);
    expect(world.events()).toMatchObject([{ status: 6 }, { status }]);
    const { body } = await world.get('/api/v1/docs/documents/doc-1/versions');
    expect(body.currentVersion).toBe(written[1] === LETTER ? 3 : 2);
  });

  it('wait for a write that does not end, and are told to try again', async () => {
    const world = await aSlowWrite({ pause: undefined });
    const first = world.report('first', 6);
    await world.begun;

    const second = await world.report('second', 2);
    world.go();
    await first;
    const again = await world.report('second', 2);

    expect([second.status, again.status, world.mostAtOnce()]).toEqual([503, 200, 1]);
    expect(textOf(world.stored())).toContain('SECOND');
    expect(world.conflicts()).toEqual([]);
  });

  it('take turns with a restoration', async () => {
    const world = await aSlowWrite();
    world.go();
    await world.report('first', 2);
    const config = await world.reopen();
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { put } = world.storage;
    world.storage.put = async (...given) => {
      world.storage.put = put;
      begun.resolve();
      await go.promise;
      return put(...given);
    };
    const restored = world.call({
      ...{ method: 'POST', path: '/api/v1/docs/documents/doc-1/versions/1:restore' },
    });
    await begun.promise;

    const saved = world.save(6, { url: world.url('second') }, { config });
    await sleep(60);
    go.resolve();

    expect([(await restored).status, (await saved).status]).toEqual([200, 200]);
    expect(Buffer.from(world.stored() ?? []).toString()).toBe('letter');
    expect(textOf(world.stored(world.conflicts()[0]))).toContain('SECOND');
  });

  it('of a key that is used up take turns, too', async () => {
    const world = await aSlowWrite();
    world.storage.files.set(LETTER, letter('of somebody else'));
    await world.reopen();
    const first = world.report('first', 6);
    await world.begun;

    const second = world.report('second', 6);
    await sleep(60);
    world.go();

    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect([world.mostAtOnce(), new Set(world.written).size]).toEqual([1, 1]);
    expect(world.written).toHaveLength(2);
  });
});
