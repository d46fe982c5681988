import { expect, it } from 'vitest';
import { DEALS, deal, deals, file } from './deals.ts';

const FILES = 10;
const REFERENCES = 50;
const fileFields = Array.from({ length: FILES }, (_, at) => `file${at}`);
const uniqueFields = Array.from({ length: 19 }, (_, at) => `unique${at}`);

it('a record with more files, references and unique values than a transaction holds is refused by its field, and stored by two changes', async () => {
  const properties = {
    ...Object.fromEntries(fileFields.map((name) => [name, file()])),
    ...Object.fromEntries(uniqueFields.map((name) => [name, { type: 'string', 'x-unique': true }])),
    others: { type: 'array', items: { type: 'string', 'x-reference': { entity: 'deal' } } },
  };
  const uiSchemaJson = { type: 'object', properties };
  const api = await deals(() => true, {
    ...{ ...deal, uiSchemaJson },
    options: { history: true, events: 'full' },
  });
  const others: string[] = [];
  for (let at = 0; at < REFERENCES; at += 1) {
    others.push(String((await api.post(DEALS, {})).body.id));
  }
  const uniques = Object.fromEntries(uniqueFields.map((name) => [name, name]));
  const files: Record<string, string> = {};
  for (const field of fileFields) files[field] = await api.uploaded(field, { field });

  const refused = await api.post(DEALS, {
    ...{ ...uniques, others: others.slice(0, 46) },
    ...files,
  });

  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', errors: [{ pointer: '/file9', code: 'TOO_MANY' }] },
  });
  const headers = { 'idempotency-key': 'k' };
  // 19 unique values, 45 references and ten files with three writes each are the most.
  const most = { ...uniques, others: others.slice(0, 45) };
  const whole = await api.post(DEALS, { ...most, ...files }, { headers });
  expect(whole.status, whole.text).toBe(201);
  await api.remove(String(whole.headers.location));
  const made = await api.post(DEALS, { ...uniques, others });
  expect(made.status, made.text).toBe(201);
  const again: Record<string, string> = {};
  for (const field of fileFields) again[field] = await api.uploaded(field, { field });
  const changed = await api.put(String(made.headers.location), again);
  expect(changed.status, changed.text).toBe(200);
  expect(changed.body).toMatchObject({ ...uniques, others, ...again });
});
