import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { anOpenDocument, letter } from '../saving/saves.ts';

const textOf = (file: Uint8Array | undefined): string =>
  JSON.stringify([...readParagraphs(file ?? Buffer.alloc(0))]);

/** A document, and an editing server that keeps one forgotten file for each key, always at the same path. */
async function aForgetfulServer() {
  const world = await anOpenDocument();
  onTestFinished(() => world.server.close());
  const forgotten = new Map<string, Uint8Array>();
  const deleted: Uint8Array[] = [];
  const { answer: download } = world.server;
  const command = { isLost: false };
  const carryOut = ({ c, key }: Readonly<Record<string, unknown>>): object => {
    if (c === 'getForgottenList') return { error: 0, keys: [...forgotten.keys()] };
    const file = forgotten.get(String(key));
    if (!file) return { error: 1 };
    if (c === 'getForgotten') {
      return { error: 0, url: `${world.server.url}/cache/files/forgotten/${key}/output.docx` };
    }
    if (c !== 'deleteForgotten') return { error: 1 };
    deleted.push(file);
    forgotten.delete(String(key));
    return { error: 0 };
  };
  world.server.answer = (request, response) => {
    const [, key] = /forgotten\/([^/]+)\//.exec(request.url ?? '') ?? [];
    if (key !== undefined) return response.end(forgotten.get(key));
    if (!request.url?.startsWith('/command')) return download(request, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { token } = JSON.parse(Buffer.concat(chunks).toString());
      const asked = decodeJwt(token);
      if (asked.c === 'deleteForgotten' && command.isLost) return response.destroy();
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify(carryOut(asked)));
    });
  };
  return {
    ...{ ...world, forgotten, deleted, command },
    recover: () => world.runTask('editor.recovery'),
    texts: () =>
      [world.stored(), ...world.conflicts().map((path) => world.stored(path))].map(textOf),
  };
}

describe('a file that the editing server has forgotten', () => {
  it('is stored also when it had forgotten another one under the same key', async () => {
    const world = await aForgetfulServer();
    world.forgotten.set(world.key, letter('first'));
    await world.recover();
    world.forgotten.set(world.key, letter('second'));

    await world.recover();

    expect(world.texts()).toEqual([
      expect.stringContaining('first'),
      expect.stringContaining('second'),
    ]);
    expect(world.forgotten.size).toBe(0);
  });

  it('is stored once when the function has ended before it was deleted there', async () => {
    const world = await aForgetfulServer();
    world.forgotten.set(world.key, letter('first'));
    world.command.isLost = true;
    await world.recover();
    world.command.isLost = false;

    await world.recover();

    expect([world.writes(), world.conflicts()]).toEqual([1, []]);
    expect(world.events()).toHaveLength(1);
    expect(world.forgotten.size).toBe(0);
  });

  it('is stored beside keys of other applications that no table takes', async () => {
    const world = await aForgetfulServer();
    for (const key of ['', 'k'.repeat(3_000), 'Đ'.repeat(1_024)]) {
      world.forgotten.set(key, letter('of others'));
    }
    world.forgotten.set(world.key, letter('first'));

    await world.recover();

    expect(world.texts()).toEqual([expect.stringContaining('first')]);
    expect([world.forgotten.size, world.deleted.length]).toEqual([3, 1]);
  });

  it('stays there when it is another one than was stored', async () => {
    const world = await aForgetfulServer();
    world.forgotten.set(world.key, letter('first'));
    world.storage.beforePut = () => {
      delete world.storage.beforePut;
      world.forgotten.set(world.key, letter('second'));
    };

    await world.recover();

    expect(world.deleted).toEqual([]);
    await world.recover();
    expect(world.texts().join()).toContain('second');
    expect(world.texts().join()).toContain('first');
    expect(world.forgotten.size).toBe(0);
  });

  it('goes over what a save has left that ended before it was known', async () => {
    const world = await aForgetfulServer();
    const sent = letter('stored');
    world.forgotten.set(world.key, sent);
    const { answer } = world.server;
    world.server.answer = (request, response) =>
      request.url?.includes('/data/') ? response.end(sent) : answer(request, response);
    const off = world.context.db.before('TransactWriteItems', () => {
      if (world.writes() > 0) throw new Error('The table is throttled');
    });
    const broken = await world.save(2);
    off();

    await world.recover();

    expect([broken.status, world.writes(), world.conflicts()]).toEqual([503, 1, []]);
    expect(world.events().map((event) => Object(event).isTerminal)).toEqual([false, true]);
    expect((await world.reopen()).document.key).not.toBe(world.key);
    expect(world.forgotten.size).toBe(0);
  });

  it('is no copy of what was stored when only the answer to its save was lost', async () => {
    const world = await aForgetfulServer();
    const sent = letter('stored');
    world.forgotten.set(world.key, sent);
    const { answer } = world.server;
    world.server.answer = (request, response) =>
      request.url?.includes('/data/') ? response.end(sent) : answer(request, response);
    await world.save(2);

    await world.recover();

    expect([world.writes(), world.conflicts()]).toEqual([1, []]);
    expect(world.events()).toHaveLength(1);
    expect(world.forgotten.size).toBe(0);
  });
});
