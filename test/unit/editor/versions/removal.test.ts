import { describe, expect, it } from 'vitest';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { LETTER } from '../editor-api.ts';
import { aLetterWithChanges } from './edited-letter.ts';

/** A letter with two old versions and the changes between them. */
async function aLetter() {
  const storage = versionedStorage();
  const world = await aLetterWithChanges({ storage });
  await world.edit('third');
  const remove = (id = 'doc-1', more: object = {}) =>
    world.call({ method: 'DELETE', path: `/api/v1/docs/documents/${id}/versions`, ...more });
  const items = () => world.context.db.items().filter(({ type }) => type === 'DOCS_VERSION').length;
  const changes = () => [...storage.files.keys()].filter((path) => path.includes('.changes/'));
  return { ...world, storage, remove, items, changes };
}

describe('DELETE /api/v1/docs/documents/{documentId}/versions', () => {
  it('deletes old versions, who made them and what they changed; the document stays', async () => {
    const world = await aLetter();
    const { number } = { number: world.items() };
    const content = world.stored();

    const { status } = await world.remove();

    expect([number, status, world.items(), world.changes()]).toEqual([3, 204, 0, []]);
    expect(world.storage.kept.get(LETTER)?.map(({ body }) => body)).toEqual([content]);
    expect(world.stored()).toBe(content);
    expect(JSON.stringify((await world.list()).body.history)).not.toContain('lan');
  });

  it('deletes them when the document is deleted already', async () => {
    const world = await aLetter();
    world.storage.files.delete(LETTER);

    const { status } = await world.remove();

    expect([status, world.items(), world.changes()]).toEqual([204, 0, []]);
    expect(world.storage.kept.get(LETTER)).toEqual([]);
  });

  it('finds nothing more to do the second time', async () => {
    const world = await aLetter();
    await world.remove();

    expect((await world.remove()).status).toBe(204);
  });

  it('goes on where it was interrupted', async () => {
    const world = await aLetter();
    const { versions } = world.storage;
    const broken = () => Promise.reject(new Error('The storage is down'));
    Object.assign(world.storage, { versions: { ...versions, delete: broken } });
    const first = await world.remove();
    Object.assign(world.storage, { versions });

    const second = await world.remove();

    expect([first.status, second.status]).toEqual([500, 204]);
    expect([world.items(), world.changes()]).toEqual([0, []]);
    expect(world.storage.kept.get(LETTER)).toHaveLength(1);
  });

  it('keeps only what the storage locks, however much of it there is', async () => {
    const world = await aLetter();
    for (let number = 4; number <= 20; number += 1) await world.edit(`text ${number}`);
    const { versions, kept } = world.storage;
    const locked = new Set((kept.get(LETTER) ?? []).slice(9, 19).map(({ id }) => id));
    const unlocked = async (path: string, id: string) => {
      if (locked.has(id)) throw new Error('The storage has locked it');
      await versions.delete(path, id);
    };
    Object.assign(world.storage, { versions: { ...versions, delete: unlocked } });
    const before = world.items();

    const { status } = await world.remove();

    expect([before, status, world.items()]).toEqual([20, 500, locked.size]);
  });

  it('asks the host in the mode edit, and finds nothing of other tenants', async () => {
    const world = await aLetter();
    const caller = { sub: 'mai', permissions: ['docs:view'] };

    const denied = await world.remove('doc-1', { caller });
    const unknown = await world.remove('doc-1', {
      caller: { sub: 'mai', roles: ['admin'], tenant: 'other' },
    });

    expect([denied.status, unknown.status]).toEqual([403, 404]);
    expect(unknown.body.code).toBe('DOCS_SESSION_NOT_FOUND');
    expect(world.items()).toBe(3);
  });
});
