import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { storeEncryptionKey } from '../encryption-key.ts';
import { anEntitiesApi, DEFINITIONS, RECORDS } from '../entities-api.ts';

const THINGS = `${RECORDS}/thing`;
const CODE = `${DEFINITIONS}/code/thing`;
const text = { type: 'string', format: 'textarea' };
const secret = { ...text, 'x-encrypted': true };
const number = { type: 'integer' };
const open = { additionalProperties: true };
/** Too long for the item of its record, and for any item. */
const long = (word: string): string => word.padEnd(6_000, '.');
const huge = (word: string): string => word.padEnd(320_000, '.');

/** An entity whose form changes; its jobs end before the next call. */
async function withThings(fields: object, more: object = {}) {
  const storage = memoryStorage();
  const host = { storage, permissionEvaluator: claimsPermissionEvaluator };
  const api = anEntitiesApi({ host });
  const { context, define, put, post, get, runJobs } = api;
  await storeEncryptionKey(context);
  const form = (properties: object) => ({
    ...{ type: 'object', ...more },
    properties: { name: { type: 'string' }, ...properties },
  });
  const uiSchemaJson = form(fields);
  const defined = await define({
    ...{ code: 'thing', name: 'Thing', options: { history: true }, uiSchemaJson },
  });
  expect(defined.status, defined.text).toBe(201);
  return {
    ...api,
    async change(properties: object) {
      const changed = await put(`${CODE}/schema`, form(properties));
      for (let turn = 0; turn < 6; turn += 1) await runJobs();
      return changed.status;
    },
    async create(values: object) {
      const { status, text: told, body } = await post(THINGS, { name: 'n', ...values });
      expect(status, told).toBe(201);
      return String(body.id);
    },
    async read(id: string) {
      const { status, text: told, body } = await get(`${THINGS}/${id}`);
      expect(status, told.slice(0, 300)).toBe(200);
      return body;
    },
    /** All that is stored, in the table and the bucket, once objects that were replaced are erased. */
    async stored() {
      context.clock.advance(600_000);
      await api.runTask('entities.sweep');
      const files = [...storage.files.values()].map((body) => Buffer.from(body).toString());
      return JSON.stringify([context.db.items(), files]);
    },
  };
}

describe('values that former fields have left', () => {
  it('leave the history with a field that becomes encrypted after it was renamed and gone', async () => {
    const { change, create, stored } = await withThings({ before: text });
    await create({ before: 'pssst' });

    await change({ later: { ...text, 'x-renamed-from': 'before' } });
    await change({});
    expect(await change({ later: secret })).toBe(200);

    expect(await stored()).not.toContain('pssst');
  });

  it.each([['pssst'], [long('pssst')], [huge('pssst')]])(
    'are encrypted with a field that comes back after another one took its place',
    async (value) => {
      const { change, create, read, stored } = await withThings({ a: text, b: text });
      const id = await create({ a: value, b: 'of its own' });

      await change({ b: { ...text, 'x-renamed-from': 'a' } });
      expect(await read(id)).toMatchObject({ b: 'of its own' });
      expect(await change({ b: text, a: secret })).toBe(200);

      expect(await read(id)).toMatchObject({ a: value, b: 'of its own' });
      expect(await stored()).not.toContain('pssst');
    },
  );

  it('keep a field from coming back with another type after another one took its place', async () => {
    const { change, create } = await withThings({ a: text, b: text });
    await create({ a: 'one', b: 'two' });
    await change({ b: { ...text, 'x-renamed-from': 'a' } });

    expect(await change({ b: { ...text, 'x-renamed-from': 'a' }, a: number })).toBe(409);
    expect(await change({ b: { ...text, 'x-renamed-from': 'a' }, c: number })).toBe(200);
  });

  it('keep a field of another type from taking their name', async () => {
    const { change, create } = await withThings({ a: number, b: text });
    await create({ b: 'two' });
    await change({ a: number });

    expect(await change({ b: { ...number, 'x-renamed-from': 'a' } })).toBe(409);
  });
});

describe('members of open-ended records', () => {
  it.each([['pssst'], [long('pssst')], [huge('pssst')]])(
    'are encrypted when an encrypted field gets their name, or renames them',
    async (value) => {
      const { change, create, read, stored } = await withThings({}, open);
      const id = await create({ a: value, b: value });

      expect(await change({ a: secret, c: { ...secret, 'x-renamed-from': 'b' } })).toBe(200);

      expect(await read(id)).toMatchObject({ a: value, c: value });
      expect(await stored()).not.toContain('pssst');
    },
  );

  it('have no names of secret fields that are gone, whose values come back with them', async () => {
    const never = { ...text, writeOnly: true };
    const { change, create, read, get, put } = await withThings({ a: secret, b: never }, open);
    const id = await create({ a: 'pssst', b: 'hush' });

    await change({});

    const { body, text: told } = await get(`${THINGS}/${id}`);
    expect(Object.keys(body)).not.toContain('a');
    expect(told).not.toContain('hush');
    for (const member of ['a', 'b']) {
      const refused = await put(`${THINGS}/${id}`, { [member]: 'plain' });
      expect([refused.status, refused.body.code]).toEqual([400, 'UNKNOWN_FIELD']);
    }
    const replaced = await put(`${THINGS}/${id}?replace=true`, { name: 'm', c: 'free' });
    expect(replaced.status, replaced.text).toBe(200);
    expect(await change({ a: secret })).toBe(200);
    expect(await read(id)).toMatchObject({ name: 'm', a: 'pssst', c: 'free' });
    expect((await get(THINGS)).status).toBe(200);
  });
});
