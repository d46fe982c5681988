import { describe, expect, it } from 'vitest';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const BILLS = `${RECORDS}/bill`;
const text = { type: 'string' };
/** A promise has a member of this name, so linters warn of it. */
const THEN = 'then';
const numbered = (format: string) => ({ ...text, 'x-number': format });
const schemaOf = (properties: object) => ({ uiSchemaJson: { type: 'object', properties } });

async function bills(properties: object, more: object = {}): Promise<EntitiesApi> {
  const api = anEntitiesApi({ pauseMs: () => 1 });
  const { uiSchemaJson } = schemaOf(properties);
  const defined = await api.define({
    ...{ code: 'bill', name: 'Bill', uiSchemaJson: { ...uiSchemaJson, ...more } },
  });
  expect(defined.status, defined.text).toBe(201);
  return api;
}

async function create(api: EntitiesApi, count = 1): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    expect((await api.post(BILLS, {})).status).toBe(201);
  }
}

async function changed(api: EntitiesApi, properties: object, query = ''): Promise<number> {
  const path = `${DEFINITIONS}/code/bill/schema${query}`;
  const { status } = await api.put(path, schemaOf(properties));
  await api.runJobs();
  api.context.clock.advance(60_000);
  return status;
}

/** Bills whose numbers somebody has written, with the first so many of the series. */
async function written(count: number): Promise<EntitiesApi> {
  const api = await bills({ number: { ...text, 'x-unique': true } });
  for (let from = 1; from <= count; from += 100) {
    const length = Math.min(100, count + 1 - from);
    const operations = Array.from({ length }, (_, more) => {
      return { op: 'create', data: { number: `N${from + more}` } };
    });
    expect((await api.post(`${BILLS}/bulk`, { operations })).status).toBe(200);
  }
  const number = { ...numbered('N{0}'), 'x-unique': true };
  expect(await changed(api, { number }, '?force=true')).toBe(200);
  return api;
}

describe('a number that was given before', () => {
  it('comes again by no later format, unless that is forced', async () => {
    const api = await bills({ number: numbered('N{0}') });
    await create(api);
    expect(await changed(api, { number: numbered('X{0}') })).toBe(200);
    await create(api);
    expect(await changed(api, { number: numbered('N1{0}') })).toBe(409);
    expect(await changed(api, { number: numbered('N{000}') })).toBe(200);
    expect(await changed(api, { number: numbered('N1{0}') }, '?force=true')).toBe(200);
    // What was forced stays so.
    expect(await changed(api, { number: { ...numbered('N1{0}'), title: 'No.' } })).toBe(200);
  });

  it('comes again by no format of a field that was gone meanwhile, or had another name', async () => {
    const api = await bills({ number: numbered('N{0}'), other: text });
    await create(api);
    expect(await changed(api, { other: text })).toBe(200);
    await create(api);
    expect(await changed(api, { other: text, number: numbered('N1{0}') })).toBe(409);
    expect(await changed(api, { other: text, number: numbered('N{0}') })).toBe(200);
    const no = { ...numbered('N{0}'), 'x-renamed-from': 'number' };
    expect(await changed(api, { other: text, no })).toBe(200);
    expect(await changed(api, { other: text, no: { ...no, 'x-number': 'N1{0}' } })).toBe(409);
  });

  it('is passed over, whatever the number of them', async () => {
    const api = await written(1_130);
    expect((await api.post(BILLS, {})).body).toMatchObject({ number: 'N1131' });
  });

  it('is passed over by many at once', async () => {
    const api = await written(60);
    const waiting: (() => void)[] = [];
    // Each has read the last number before one of them writes.
    const takeOff = ['TransactWriteItems', 'PutItem'].map((operation) =>
      api.context.db.before(operation, async () => {
        if (waiting.length >= 16) return;
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 16) for (const goOn of waiting) goOn();
        });
      }),
    );
    const made = await Promise.all(Array.from({ length: 16 }, () => api.post(BILLS, {})));
    for (const off of takeOff) off();
    expect(made.map(({ status, body }) => body.code ?? status)).toEqual(Array(16).fill(201));
    const numbers = made.map(({ body }) => Number(String(body.number).slice(1)));
    expect(numbers.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 16 }, (_, at) => 61 + at),
    );
  });
});

describe('rules about a number that a new record will have', () => {
  it.each<[object]>([
    [{ allOf: [{ required: ['number'] }] }],
    [{ if: { required: ['a'] }, [THEN]: { required: ['number'] } }],
    [{ dependentRequired: { a: ['number'] } }],
    [{ minProperties: 2 }],
  ])('%j hold', async (more) => {
    const api = await bills({ number: numbered('N{0}'), a: text }, more);
    const made = await api.post(BILLS, { a: 'x' });
    expect(made.body, made.text).toMatchObject({ number: 'N1', version: 1 });
  });

  it('include the length of the keys that it is part of', async () => {
    const more = { 'x-indexes': [['a', 'b', 'c', 'number']] };
    const number = numbered(`${'漢'.repeat(95)}{0}`);
    const api = await bills({ number, a: text, b: text, c: text }, more);
    const long = { a: 'x'.repeat(250), b: 'x'.repeat(250), c: 'x'.repeat(250) };
    const made = await api.post(BILLS, long);
    expect(made.body).toMatchObject({ status: 400, errors: [{ code: 'TOO_LONG' }] });
    expect((await api.post(BILLS, { ...long, c: 'x' })).status).toBe(201);
    expect(contentOf(await api.get(BILLS))).toHaveLength(1);
  });
});

describe('a form', () => {
  it.each<[object, string]>([
    [
      { type: 'object', properties: { no: numbered('N{0}') } },
      '/properties/part/properties/no/x-number',
    ],
    [{ type: 'array', items: numbered('N{0}') }, '/properties/part/items/x-number'],
    [
      { type: 'object', properties: { pin: { ...text, 'x-encrypted': true } } },
      '/properties/part/properties/pin/x-encrypted',
    ],
  ])('promises nothing for a part of a value: %j', async (part, pointer) => {
    const answer = await anEntitiesApi().define({ code: 'bill', name: 'B', ...schemaOf({ part }) });
    expect(answer.body).toMatchObject({
      ...{ status: 400, code: 'INVALID_SCHEMA' },
      errors: [{ pointer, code: 'INVALID_KEYWORD' }],
    });
  });

  it.each(['toString', 'valueOf', 'hasOwnProperty'])(
    'has no field whose name every object has: %s',
    async (code) => {
      const schema = schemaOf({ [code]: text });
      const answer = await anEntitiesApi().define({ code: 'bill', name: 'B', ...schema });
      expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_SCHEMA' });
    },
  );
});
