import { describe, expect, it } from 'vitest';
import { DEFINITIONS, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi } from './interrupted.ts';

const NOTES = `${RECORDS}/note`;
const DAY_MS = 86_400_000;
const large = (letter: string): string => letter.repeat(310_000);

async function withNotes(options: object = {}) {
  const api = anInterruptibleApi();
  const text = { type: 'string', format: 'textarea' };
  await api.define({
    code: 'note',
    name: 'Note',
    options,
    uiSchemaJson: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        code: { type: 'string', 'x-unique': true },
        text,
        more: text,
      },
    },
  });
  const make = async (values: object): Promise<string> =>
    String((await api.post(NOTES, values)).body.id);
  return { ...api, make };
}

describe('the objects of large values', () => {
  it('are not written again by a change of another field', async () => {
    const { make, put, get, files } = await withNotes();
    const id = await make({ name: 'a', text: large('x') });
    const before = [...files.keys()];

    await put(`${NOTES}/${id}`, { name: 'b' });

    expect([...files.keys()]).toEqual(before);
    expect((await get(`${NOTES}/${id}`)).body).toMatchObject({ name: 'b', text: large('x') });
  });

  it('are erased when they are replaced, once nobody reads them any more', async () => {
    const { make, put, get, files, settle } = await withNotes();
    const id = await make({ name: 'a', text: large('x'), more: large('m') });
    const [first, other] = [...files.keys()];

    await put(`${NOTES}/${id}`, { text: large('y') });
    await put(`${NOTES}/${id}`, { text: large('x'), more: null });
    const meanwhile = files.size;
    await settle();

    expect(meanwhile).toBe(4);
    expect(files.size).toBe(1);
    expect([...files.keys()]).not.toContain(first);
    expect([...files.keys()]).not.toContain(other);
    expect((await get(`${NOTES}/${id}`)).body.text).toBe(large('x'));
  });

  it('are erased when the record was not stored', async () => {
    const { make, post, files, settle, items } = await withNotes();
    await make({ code: 'A', text: large('x') });

    const refused = await post(NOTES, { code: 'a', text: large('y') });
    await settle();

    expect(refused.status).toBe(409);
    expect(files.size).toBe(1);
    expect(items('DYN_OPEN_WORK')).toEqual([]);
  });

  it('stay when nobody heard that the record was stored', async () => {
    const { make, put, get, files, settle, context } = await withNotes();
    const id = await make({ name: 'a', text: large('x') });
    context.db.failNext('answer-lost', { operation: 'TransactWriteItems' });
    await put(`${NOTES}/${id}`, { text: large('y') });

    await settle();

    expect(files.size).toBe(1);
    expect((await get(`${NOTES}/${id}`)).body.text).toBe(large('y'));
  });

  it('of a value that turns small are erased', async () => {
    const { make, put, get, files, settle } = await withNotes();
    const id = await make({ name: 'a', text: large('x') });

    await put(`${NOTES}/${id}`, { text: 'short' });
    await settle();

    expect(files.size).toBe(0);
    expect((await get(`${NOTES}/${id}`)).body.text).toBe('short');
  });
});

describe('the end of the time in the trash', () => {
  it('erases values, history, objects and counters, and nothing else', async () => {
    const { make, put, post, remove, get, files, items, context, runTask } = await withNotes({
      trashRetentionDays: 30,
      history: true,
    });
    const old = await make({ name: 'a', code: 'A', text: large('x'), more: 'm'.repeat(9_000) });
    await put(`${NOTES}/${old}`, { name: 'b' });
    const kept = await make({ name: 'kept' });
    const recent = await make({ name: 'recent' });
    await remove(`${NOTES}/${old}`);
    context.clock.advance(20 * DAY_MS);
    await remove(`${NOTES}/${recent}`);

    const early = await runTask('entities.sweep');
    context.clock.advance(10 * DAY_MS + 1);
    const due = await runTask('entities.sweep');

    expect([early, due]).toMatchObject([{ expired: 0 }, { expired: 1 }]);
    expect(JSON.stringify(context.db.items())).not.toContain(old);
    expect(files.size).toBe(0);
    expect(items('DYN_OPEN_WORK')).toEqual([]);
    expect((await get(`${NOTES}/trash`)).body).toMatchObject({ totalElements: 1 });
    expect((await get(`${NOTES}/${kept}`)).status).toBe(200);
    expect((await post(`${NOTES}/${recent}/restore`)).status).toBe(200);
  });

  it('is asked of the options as they are: records are not stamped with it', async () => {
    const { make, remove, get, put, items, context, runTask } = await withNotes();
    const id = await make({ name: 'a' });
    await remove(`${NOTES}/${id}`);
    context.clock.advance(5 * DAY_MS);
    const never = await runTask('entities.sweep');

    await put(`${DEFINITIONS}/code/note`, { options: { trashRetentionDays: 4 } });
    const due = await runTask('entities.sweep');

    expect(items('DYN_').filter(({ ttl }) => ttl !== undefined)).toEqual([]);
    expect([never, due]).toMatchObject([{ expired: 0 }, { expired: 1 }]);
    expect((await get(`${NOTES}/${id}?deleted=true`)).status).toBe(404);
  });

  it('does not reach a record that was restored at the last moment', async () => {
    const { make, remove, post, get, context, runTask } = await withNotes({
      trashRetentionDays: 1,
    });
    const id = await make({ name: 'a' });
    await remove(`${NOTES}/${id}`);
    context.clock.advance(2 * DAY_MS);
    const stop = context.db.before('TransactWriteItems', async () => {
      stop();
      expect((await post(`${NOTES}/${id}/restore`)).status).toBe(200);
    });

    await runTask('entities.sweep');

    expect((await get(`${NOTES}/${id}`)).status).toBe(200);
  });

  it('erases what is left where the table has expired the record before', async () => {
    const { make, put, remove, get, context, runTask, unitOfWork } = await withHistory();
    const id = await make({ name: 'a', more: 'm'.repeat(9_000) });
    await put(`${NOTES}/${id}`, { name: 'b' });
    await remove(`${NOTES}/${id}`);
    await unitOfWork(async (unit) => unit.delete({ pk: `DYN_RECORD#note#${id}`, sk: 'R' }));
    context.clock.advance(2 * DAY_MS);

    await runTask('entities.sweep');

    expect(JSON.stringify(context.db.items())).not.toContain(id);
    expect((await get(`${NOTES}/trash`)).body).toMatchObject({ totalElements: 0 });
  });
});

async function withHistory() {
  const api = await withNotes({ trashRetentionDays: 1, history: true });
  return { ...api, unitOfWork: api.context.unitOfWork };
}
