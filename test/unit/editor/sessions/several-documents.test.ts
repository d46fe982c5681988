import { afterEach, describe, expect, it } from 'vitest';
import type { EditorConfigResponse } from '../../../../functions/editor/index.ts';
import type { DocsEditorQuery } from '../../../../shared/ports/documents.ts';
import { LETTER } from '../editor-api.ts';
import { anOpenDocument } from '../saving/saves.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const DAY_MS = 86_400_000;

/** A file that is opened under `doc-1`; the host may refuse others. */
async function aFile(canOpen: (query: DocsEditorQuery) => boolean = () => true) {
  const asked: DocsEditorQuery[] = [];
  const world = await anOpenDocument({
    also: {
      docsEditorAuthorizationServices: [
        {
          canOpen: (query) => {
            asked.push(query);
            return canOpen(query);
          },
        },
      ],
    },
  });
  open.push(world.server);
  const sessions = async (documentId: string, more: object = {}) => {
    asked.length = 0;
    const { body } = await world.get(`/api/v1/docs/sessions?documentId=${documentId}`, more);
    return body.content as readonly Readonly<Record<string, unknown>>[];
  };
  const openAs = async (documentId: string, more: object = {}) => {
    const { status, body } = await world.open({ documentId }, more);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body as unknown as EditorConfigResponse;
  };
  return { ...world, asked, sessions, openAs };
}

describe('a file that is opened as several documents', () => {
  it('shows its session with each of them', async () => {
    const world = await aFile();
    await world.openAs('generation-7');
    await world.openAs('generation-7');
    await world.send({ key: world.key, status: 1, users: ['lan'] });

    const [first, second] = [await world.sessions('doc-1'), await world.sessions('generation-7')];

    const session = { key: world.key, fileId: LETTER, state: 'OPEN', users: ['lan'] };
    expect(first).toMatchObject([{ ...session, documentId: 'doc-1' }]);
    expect(second).toMatchObject([{ ...session, documentId: 'generation-7' }]);
    expect(second).toHaveLength(1);
  });

  it('shows what has become of the session with each of them', async () => {
    const world = await aFile();
    await world.openAs('generation-7');
    world.context.machineClock.advance(1_000);
    await world.save(2);

    const states = (await world.sessions('generation-7')).map(({ state }) => state);

    expect(states).toEqual(['SAVED']);
    expect(await world.sessions('doc-1')).toMatchObject([{ state: 'NEW' }, { state: 'SAVED' }]);
  });

  it('asks the host for the document that is asked about', async () => {
    const world = await aFile(({ documentId, mode }) => documentId !== 'doc-1' || mode === 'edit');
    await world.openAs('generation-7');
    const refused = await world.get('/api/v1/docs/sessions?documentId=doc-1');

    await world.sessions('generation-7');

    expect(refused.status).toBe(403);
    expect(world.asked).toMatchObject([{ documentId: 'generation-7', fileId: LETTER }]);
  });

  it('is saved by either of them', async () => {
    const world = await aFile();
    await world.openAs('generation-7');
    world.server.answer = (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ error: 4 }));
    };

    const { status, body } = await world.call({
      method: 'POST',
      path: '/api/v1/docs/documents/generation-7:save',
    });

    expect([status, body.sessions]).toMatchObject([200, [{ key: world.key, result: 'UNCHANGED' }]]);
  });

  it('shows it to each tenant under its own documents, and nothing of those of others', async () => {
    const world = await aFile();
    const other = { caller: { sub: 'mai', roles: ['admin'], tenant: 'other' } };
    await world.openAs('doc-1', other);
    await world.openAs('theirs', other);

    expect(await world.sessions('doc-1', other)).toMatchObject([{ key: world.key }]);
    expect(await world.sessions('theirs', other)).toMatchObject([{ key: world.key }]);
    expect(await world.sessions('theirs')).toEqual([]);
  });

  it('shows it with many documents', async () => {
    const world = await aFile();
    for (let at = 0; at < 60; at += 1) await world.openAs(`document-${at}`);

    expect(await world.sessions('document-0')).toMatchObject([{ key: world.key }]);
    expect(await world.sessions('document-59')).toMatchObject([{ key: world.key }]);
  });
});

describe('a file that is opened again after a long time', () => {
  it('keeps its session as long as somebody may save under it', async () => {
    const world = await aFile();
    const endOf = async () => {
      const item = await world.context.table.get<{ pk: string; sk: string; ttl: number }>({
        ...{ pk: `DOCSESSION#${world.key}`, sk: 'SESSION' },
      });
      return (item?.ttl ?? 0) * 1_000 - world.context.machineClock.now();
    };
    await world.openAs('generation-7');
    world.context.machineClock.advance(25 * DAY_MS);

    const { document } = await world.openAs('doc-1');

    expect(document.key).toBe(world.key);
    expect(await endOf()).toBeGreaterThan(30 * DAY_MS);
    expect(await world.sessions('doc-1')).toHaveLength(1);
  });
});
