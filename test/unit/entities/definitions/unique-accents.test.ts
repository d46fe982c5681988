import { describe, expect, it } from 'vitest';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const TABLES = `${RECORDS}/table`;
const formOf = (name: object, more: object = {}) => ({
  type: 'object',
  properties: { name: { type: 'string', ...name }, room: { type: 'string' } },
  ...more,
});

async function withTables(name: object, more: object = {}) {
  const api = anEntitiesApi();
  const uiSchemaJson = formOf(name, more);
  const defined = await api.define({ code: 'table', name: 'Table', uiSchemaJson });
  return { ...api, defined };
}

describe('x-unique', () => {
  it('takes texts for the same that differ in case or accents', async () => {
    const { post } = await withTables({ 'x-unique': true });
    await post(TABLES, { name: 'Bản' });

    expect((await post(TABLES, { name: 'BÁN' })).status).toBe(409);
  });

  it.each([
    ['of a field', { 'x-unique': true, 'x-unique-accents': true }, {}],
    ['of several fields', { 'x-unique-accents': true }, { 'x-unique': [['name', 'room']] }],
  ])('%s tells accents apart where it is asked to, never case', async (_what, name, more) => {
    const { post, get, defined } = await withTables(name, more);
    expect(defined.status, defined.text).toBe(201);
    const room = 'r';
    await post(TABLES, { name: 'Bản', room });

    const other = await post(TABLES, { name: 'Bán', room });
    const same = await post(TABLES, { name: 'BẢN'.normalize('NFD'), room });
    const query = new URLSearchParams({ name: 'Bán', room });

    expect([other.status, same.status]).toEqual([201, 409]);
    expect(contentOf(await get(`${TABLES}?${query}`))).toMatchObject([{ id: other.body.id }]);
  });

  it('keeps how it tells values apart', async () => {
    const { put, post } = await withTables({ 'x-unique': true });
    await post(TABLES, { name: 'Bản' });
    const path = `${DEFINITIONS}/code/table/schema`;

    const refused = await put(path, formOf({ 'x-unique': true, 'x-unique-accents': true }));
    const without = await put(path, formOf({ 'x-unique-accents': true }));

    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'SCHEMA_INCOMPATIBLE', fields: ['name'] },
    });
    expect(without.status, without.text).toBe(200);
  });

  it.each([
    [{ 'x-unique-accents': 'yes' }, 'INVALID_TYPE'],
    [{ type: 'number', 'x-unique-accents': true }, 'NOT_SEARCHABLE'],
  ])('refuses %j', async (name, code) => {
    const { defined } = await withTables(name);

    expect(defined).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/properties/name/x-unique-accents', code }] },
    });
  });
});
