import { describe, expect, it } from 'vitest';
import { storeEncryptionKey } from '../encryption-key.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const NOTES = `${RECORDS}/note`;
const SCHEMA = `${DEFINITIONS}/code/note/schema`;
const text = { type: 'string' };
const schemaOf = (properties: object) => ({
  uiSchemaJson: { type: 'object', properties: { title: text, ...properties } },
});

/** A note whose field is gone. */
async function aNote(field: object, value: unknown) {
  const api = anEntitiesApi();
  await storeEncryptionKey(api.context);
  const options = { history: true };
  await api.define({ code: 'note', name: 'Note', options, ...schemaOf({ field }) });
  const made = await api.post(NOTES, { title: 'a', field: value });
  expect(made.status, made.text).toBe(201);
  const change = async (properties: object, query = '') => {
    const { status } = await api.put(SCHEMA + query, schemaOf(properties));
    await api.runJobs();
    api.context.clock.advance(60_000);
    return status;
  };
  expect(await change({})).toBe(200);
  return { ...api, change, path: String(made.headers.location) };
}

describe('a field that comes back to records with its values', () => {
  it.each<[string, object, object, unknown]>([
    ['text', text, { type: 'integer' }, 'abc'],
    ['list', { type: 'array', items: text }, text, ['a']],
    ['text', text, { ...text, 'x-number': 'N{0}' }, 'N1'],
    ['text', text, { ...text, 'x-reference': { entity: 'note' } }, 'abc'],
  ])(
    'as another one than the %s it was is refused unless that is forced: %j, %j',
    async (_was, before, after, value) => {
      const { change, put, path, get } = await aNote(before, value);
      expect(await change({ field: after })).toBe(409);
      expect(await change({ other: text })).toBe(200);
      expect(await change({ field: after })).toBe(409);
      expect((await put(path, { title: 'b' })).status).toBe(200);
      expect(await change({ field: before })).toBe(200);
      expect((await get(path)).body).toMatchObject({ title: 'b', field: value });
    },
  );

  it('as a wider one has them in its form', async () => {
    const { change, get, put, path } = await aNote(text, 'abc');
    expect(await change({ field: { type: 'array', items: text } })).toBe(200);
    expect((await get(path)).body).toMatchObject({ field: ['abc'] });
    expect((await put(path, { title: 'b' })).status).toBe(200);
  });

  it('encrypted has them nowhere in the clear', async () => {
    const { change, get, path, context } = await aNote(text, 'a canary');
    expect(await change({ field: { ...text, 'x-encrypted': true } })).toBe(200);
    expect((await get(path)).body).toMatchObject({ field: 'a canary' });
    expect(JSON.stringify(context.db.items())).not.toContain('canary');
  });

  it('in the clear is found by them', async () => {
    const { change, get } = await aNote({ ...text, 'x-encrypted': true }, 'a canary');
    expect(await change({ field: text })).toBe(200);
    const found = await get(`${NOTES}?field=${encodeURIComponent('a canary')}`);
    expect(contentOf(found)).toMatchObject([{ field: 'a canary' }]);
  });

  it('leaves them to the one that it was renamed to', async () => {
    const { change, get, path } = await aNote(text, 'abc');
    const renamed = { ...text, 'x-renamed-from': 'field' };
    expect(await change({ later: { ...renamed, type: 'integer' } })).toBe(409);
    expect(await change({ later: renamed })).toBe(200);
    expect(await change({ later: renamed, field: { type: 'integer' } })).toBe(200);
    const { body } = await get(path);
    expect(body).toMatchObject({ later: 'abc' });
    expect(body).not.toHaveProperty('field');
  });
});
