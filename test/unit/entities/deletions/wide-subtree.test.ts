import { describe, expect, it } from 'vitest';
import { contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi, expectSettled } from './interrupted.ts';

const UNITS = `${RECORDS}/unit`;
const text = { type: 'string' };

/** A root with more children than one page of its tree rows has; they come in the order of their names. */
async function withChildren(count: number) {
  const api = anInterruptibleApi();
  const uiSchemaJson = { type: 'object', properties: { name: text } };
  await api.define({ code: 'unit', name: 'Unit', hierarchical: true, uiSchemaJson });
  const root = String((await api.post(UNITS, { name: 'root' })).body.id);
  const operations = Array.from({ length: count }, (_, at) => ({
    op: 'create',
    data: { name: `n${String(at).padStart(3, '0')}`, parentId: root },
  }));
  const { body } = await api.post(`${UNITS}/bulk`, { operations });
  const ids = (body.results as { id: string }[]).map(({ id }) => id);
  return { ...api, root, ids, left: async () => contentOf(await api.get(UNITS)) };
}

describe('a subtree with more children than are read at once', () => {
  it('loses none that changes its place among them meanwhile', async () => {
    const api = await withChildren(100);
    const { root, ids, put, remove, left, context } = api;
    let transactions = 0;
    let renamed = 0;
    const stop = context.db.before('TransactWriteItems', async () => {
      transactions += 1;
      if (transactions !== 2) return;
      // The first page of children is read and about to be marked.
      stop();
      renamed = (await put(`${UNITS}/${ids[99]}`, { name: 'a' })).status;
    });

    const answer = await remove(`${UNITS}/${root}?cascade=true`);

    expect([renamed, answer.status]).toEqual([409, 204]);
    expect(await left()).toEqual([]);
    expectSettled(api, 'after the deletion');
  });

  it('lets a child change its place while nothing is deleted', async () => {
    const { ids, put, get } = await withChildren(3);

    const renamed = await put(`${UNITS}/${ids[2]}`, { name: 'a' });

    expect(renamed.status, renamed.text).toBe(200);
    const tree = await get(`${UNITS}/tree`);
    expect(tree.text.indexOf(String(ids[2]))).toBeLessThan(tree.text.indexOf(String(ids[0])));
  });

  it('loses none whose label sorts after all others', async () => {
    const api = await withChildren(95);
    const { root, post, remove, left } = api;
    const last = await post(UNITS, { name: '\u{10ffff}\u{10ffff}', parentId: root });

    const answer = await remove(`${UNITS}/${root}?cascade=true`);

    expect([last.status, answer.status]).toEqual([201, 204]);
    expect(await left()).toEqual([]);
  });
});

describe('a subtree of records with large values', () => {
  it('is deleted in transactions of at most 4 MB, after a change of the schema as well', async () => {
    const api = anInterruptibleApi();
    const { post, put, remove, get, context } = api;
    const area = { type: 'string', format: 'textarea' };
    const properties = { a: area, b: area, c: area, d: area };
    const hidden = { ...text, 'x-searchable': false };
    const schemaOf = (more: object) => ({
      type: 'object',
      properties: { name: hidden, ...properties, ...more },
    });
    const unit = { code: 'unit', name: 'Unit', hierarchical: true, uiSchemaJson: schemaOf({}) };
    await api.define(unit);
    const large = 'x'.repeat(290_000);
    const root = String((await post(UNITS, { name: 'root' })).body.id);
    for (let at = 0; at < 5; at += 1) {
      const values = { name: 'n', parentId: root, a: large, b: large, c: large };
      const { body } = await post(UNITS, values);
      await put(`${UNITS}/${body.id}`, { d: large });
    }
    await put(`${DEFINITIONS}/code/unit/schema`, schemaOf({ e: area }));
    const weights: number[] = [];
    context.db.before('TransactWriteItems', ({ input }) => {
      weights.push(JSON.stringify(input).length);
    });

    const answer = await remove(`${UNITS}/${root}?cascade=true`);

    expect(answer.status, answer.text).toBe(204);
    expect((await get(`${UNITS}/count`)).body.count).toBe(0);
    expect(Math.max(...weights)).toBeLessThan(4_000_000);
  });
});
