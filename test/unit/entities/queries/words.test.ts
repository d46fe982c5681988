import { describe, expect, it } from 'vitest';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const NOTES = `${RECORDS}/note`;

async function withNotes() {
  const api = anEntitiesApi();
  await api.define({
    ...{ code: 'note', name: 'Note', apiPath: 'notes' },
    uiSchemaJson: { type: 'object', properties: { name: { type: 'string' } } },
  });
  for (const name of ['one 😀', 'two', 'three -']) await api.post(NOTES, { name });
  return api;
}

describe('q without a word in it', () => {
  it.each(['😀', '👩‍👩‍👧', '-', '"!', '…'])(
    'finds nothing, and reads nothing for it: %s',
    async (q) => {
      const { get, context } = await withNotes();
      const search = `q=${encodeURIComponent(q)}`;
      let list = await get(NOTES);

      const cost = await context.db.meter.costOf(async () => {
        list = await get(`${NOTES}?${search}&sort=name`);
      });

      expect(list.body).toMatchObject({ content: [], totalElements: 0, totalRelation: 'eq' });
      expect(cost.readUnits).toBeLessThanOrEqual(1);
      expect((await get(`${NOTES}/count?${search}`)).body.count).toBe(0);
      expect((await get(`${NOTES}/aggregate?${search}`)).body).toMatchObject({ count: 0 });
      expect((await get(`${NOTES}/export?format=json&${search}`)).text.trim()).toBe('[]');
      expect(contentOf(await get(`${NOTES}/trash?${search}`))).toEqual([]);
    },
  );

  it('changes and deletes nothing', async () => {
    const { get, post, runJobs } = await withNotes();

    const deletion = await post(`${NOTES}/bulk:delete`, { filter: {}, q: '😀' });
    await runJobs();

    expect((await get(String(deletion.headers.location))).body).toMatchObject({
      state: 'DONE',
      result: { deleted: 0 },
    });
    expect((await get(NOTES)).body.totalElements).toBe(3);
  });

  it('asks for nothing when it is blank, and looks for the words beside other signs', async () => {
    const { get } = await withNotes();

    expect((await get(`${NOTES}?q=`)).body.totalElements).toBe(3);
    expect((await get(`${NOTES}?q=%20`)).body.totalElements).toBe(3);
    expect(contentOf(await get(`${NOTES}?q=${encodeURIComponent('😀 one')}`))).toMatchObject([
      { name: 'one 😀' },
    ]);
  });
});
