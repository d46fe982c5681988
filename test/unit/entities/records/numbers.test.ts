import { describe, expect, it } from 'vitest';
import { formatError } from '../../../../functions/entities/domain/values/number-format.ts';
import { anInterruptibleApi, interruptEverywhere } from '../deletions/interrupted.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const BILLS = `${RECORDS}/bill`;
const text = { type: 'string' };
const fields = {
  number: { ...text, title: 'Number', 'x-number': 'INV-{yyyy}-{0000}' },
  customer: { ...text, 'x-unique': true },
  amount: { type: 'number', minimum: 0 },
};
const schemaOf = (properties: object, more: object = {}) => ({
  uiSchemaJson: { type: 'object', properties, ...more },
});
const bill = (properties: object = fields, more: object = {}) => ({
  ...{ code: 'bill', name: 'Bill', options: { history: true, events: 'full' }, ...more },
  ...schemaOf(properties),
});

async function bills(properties: object = fields, more: object = {}, zone = 'UTC') {
  const api = anEntitiesApi({ svc: { dynamic: { enabled: true, 'zone-id': zone } } });
  const defined = await api.define(bill(properties, more));
  expect(defined.status, defined.text).toBe(201);
  return api;
}

async function create(api: EntitiesApi, values: object = {}): Promise<unknown> {
  const made = await api.post(BILLS, values);
  expect(made.status, made.text).toBe(201);
  return made.body.number;
}

async function numbers(api: EntitiesApi): Promise<readonly unknown[]> {
  const page = await api.get(`${BILLS}?size=200&sort=number`);
  return contentOf(page).map(({ number }) => number);
}

const upTo = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `INV-2026-${String(at + 1).padStart(4, '0')}`);

describe('numbers of new records', () => {
  it('count up from 1, in the answer, the record, its history and its event', async () => {
    const api = await bills();
    expect(await create(api)).toBe('INV-2026-0001');
    const second = await api.post(BILLS, { customer: 'b' });
    const path = String(second.headers.location);
    expect((await api.get(path)).body).toMatchObject({ number: 'INV-2026-0002', version: 1 });
    const found = contentOf(await api.get(`${BILLS}?number[startsWith]=inv-2026-0002`));
    expect(found.map(({ customer }) => customer)).toEqual(['b']);
    const history = contentOf(await api.get(`${path}/history`));
    expect(JSON.stringify(history)).toContain('INV-2026-0002');
    expect(JSON.stringify(api.context.db.items())).toContain('INV-2026-0002');
  });

  it.each([
    ['N{0}', ['N1', 'N2', 'N3']],
    ['{yy}{mm}{dd}/{000}', ['260301/001', '260301/002', '260301/003']],
    ['{00}.{mm}.{yyyy}', ['01.03.2026', '02.03.2026', '03.03.2026']],
  ])('are written as %s says', async (format, expected) => {
    const api = await bills({ number: { ...text, 'x-number': format } });
    expect([await create(api), await create(api), await create(api)]).toEqual(expected);
  });

  it('go on with more digits where the width is used up', async () => {
    const api = await bills({ number: { ...text, 'x-number': 'N{0}' } });
    for (let count = 0; count < 9; count += 1) await create(api);
    expect(await create(api)).toBe('N10');
  });

  it.each([
    ['{yyyy}-{0}', 'Asia/Ho_Chi_Minh', '2026-12-31T16:59:59.999Z', ['2026-1', '2027-1', '2027-2']],
    ['{yyyy}-{0}', 'UTC', '2026-12-31T23:59:59.999Z', ['2026-1', '2027-1', '2027-2']],
    [
      '{yy}{mm}-{0}',
      'America/New_York',
      '2026-04-01T03:59:59.999Z',
      ['2603-1', '2604-1', '2604-2'],
    ],
  ])('%s begins anew with the period in %s', async (format, zone, last, expected) => {
    const api = await bills({ number: { ...text, 'x-number': format } }, {}, zone);
    api.context.clock.advance(Date.parse(last) - api.context.clock.now());
    const first = await create(api);
    api.context.clock.advance(1);
    expect([first, await create(api), await create(api)]).toEqual(expected);
  });

  it('are those of each field', async () => {
    const api = await bills({
      number: fields.number,
      daily: { ...text, 'x-number': '{yyyy}{mm}{dd}-{0}' },
    });
    await create(api);
    api.context.clock.advance(86_400_000);
    const made = await api.post(BILLS, {});
    expect(made.body).toMatchObject({ number: 'INV-2026-0002', daily: '20260302-1' });
  });

  it('belong to the platform: nobody writes them', async () => {
    const preset = { allowed: true, presets: { number: 'INV-2026-0999' } };
    const open = await bills(fields, { requirePermission: true });
    const hasPermission = (_who: unknown, _target: string, action: string) =>
      action === 'add' ? preset : true;
    const api = anEntitiesApi({
      besides: open.context,
      host: { permissionEvaluator: { hasPermission } },
    });
    const made = await api.post(BILLS, { number: 'INV-2026-0777' });
    expect(made.body).toMatchObject({ number: 'INV-2026-0001' });
    const path = String(made.headers.location);
    for (const send of [
      api.put,
      (at: string, body: unknown) => api.call({ method: 'PATCH', path: at, body }),
    ]) {
      await send(path, { number: null, amount: 1 });
      await send(path, { number: 'X', amount: 2 });
    }
    await api.put(`${path}?replace=true`, { amount: 3 });
    const operations = [{ op: 'update', id: made.body.id, data: { number: 'Y', amount: 4 } }];
    await api.post(`${BILLS}/bulk`, { operations });
    expect((await api.get(path)).body).toMatchObject({ number: 'INV-2026-0001', amount: 4 });
    const changed = await api.post(`${BILLS}/bulk:update`, {
      filter: {},
      data: { number: 'Z', amount: 5 },
    });
    await api.runJobs();
    expect(changed.status).toBe(202);
    expect(await numbers(api)).toEqual(['INV-2026-0001']);
    const schema = await api.get(`${BILLS}/schema`);
    expect((schema.body.fields as readonly object[])[0]).toMatchObject({
      ...{ code: 'number', readOnly: true, numberFormat: 'INV-{yyyy}-{0000}' },
    });
  });

  it('are given to the rows of imports and bulk calls in their order', async () => {
    const api = await bills();
    const headers = { 'content-type': 'text/csv' };
    const csv = 'number,customer\r\nINV-2026-0500,a\r\nINV-2025-0003,b\r\n';
    const imported = await api.post(`${BILLS}/import?format=csv`, csv, { headers });
    expect(imported.body).toMatchObject({ created: 2, failed: 0 });
    for (const atomic of [true, false]) {
      const operations = ['c', 'd', 'e'].map((customer) => ({
        ...{ op: 'create', data: { customer: customer + atomic } },
      }));
      expect((await api.post(`${BILLS}/bulk`, { operations, atomic })).status).toBe(200);
    }
    const all = contentOf(await api.get(`${BILLS}?sort=number`));
    expect(all.map(({ number, customer }) => `${number} ${customer}`)).toEqual(
      ['a', 'b', 'ctrue', 'dtrue', 'etrue', 'cfalse', 'dfalse', 'efalse'].map(
        (customer, at) => `${upTo(8)[at]} ${customer}`,
      ),
    );
  });
});

describe('numbers have no gaps', () => {
  it('when creates are refused', async () => {
    const api = await bills({
      ...fields,
      of: { ...text, 'x-reference': { entity: 'bill' } },
    });
    await create(api, { customer: 'a' });
    const id = '00000000-0000-7000-8000-000000000009';
    const refused = [
      await api.post(BILLS, { amount: -1 }),
      await api.post(BILLS, { customer: 'A' }),
      await api.post(BILLS, { of: id }),
      await api.post(BILLS, { unknown: 1 }),
      await api.post(`${BILLS}/bulk`, {
        ...{ atomic: true },
        operations: [
          { op: 'create', data: { customer: 'x' } },
          { op: 'create', data: { customer: 'a' } },
        ],
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 409, 400, 400, 409]);
    const results = await api.post(`${BILLS}/bulk`, {
      operations: ['a', 'b', 'B', 'c'].map((customer) => ({ op: 'create', data: { customer } })),
    });
    expect(results.status).toBe(200);
    expect(await numbers(api)).toEqual(upTo(3));
  });

  it('when many are created at the same time', async () => {
    const api = await bills();
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, at) => api.post(BILLS, { customer: `c${at % 30}` })),
    );
    const created = made.filter(({ status }) => status === 201).length;
    expect(created).toBe(30);
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await numbers(api)).toEqual(upTo(30));
  });

  it('when the process ends before any request of a create', async () => {
    const requests = await interruptEverywhere(
      async () => {
        const api = anInterruptibleApi();
        await api.define(bill());
        return api;
      },
      (world) => world.post(BILLS, { customer: 'a' }),
      async (world, answer, name) => {
        const before = await numbers(world);
        if (answer.status === 201) expect(before, name).toHaveLength(1);
        expect((await world.post(BILLS, { customer: 'b' })).status, name).toBe(201);
        expect(await numbers(world), name).toEqual(upTo(before.length + 1));
      },
    );
    expect(requests).toBeGreaterThan(2);
  });

  it('when an answer is asked for again', async () => {
    const api = await bills();
    const headers = { 'idempotency-key': 'k' };
    const first = await api.post(BILLS, { customer: 'a' }, { headers });
    const again = await api.post(BILLS, { customer: 'a' }, { headers });
    expect(again.body).toEqual(first.body);
    expect(await create(api)).toBe('INV-2026-0002');
  });

  it('but for records that are deleted: their numbers stay used', async () => {
    const api = await bills();
    const made = await api.post(BILLS, { customer: 'a' });
    const path = String(made.headers.location);
    await api.remove(path);
    expect(await create(api)).toBe('INV-2026-0002');
    expect((await api.post(`${path}/restore`)).body).toMatchObject({ number: 'INV-2026-0001' });
    await api.remove(`${path}?purge=true`);
    expect(await create(api)).toBe('INV-2026-0003');
  });
});

describe('numbers and their definition', () => {
  it('go on when the field is renamed, its format is made wider, or it comes back', async () => {
    const api = await bills();
    await create(api);
    const change = async (properties: object) => {
      const path = `${DEFINITIONS}/code/bill/schema`;
      const { status, text: why } = await api.put(path, schemaOf(properties));
      expect(status, why).toBe(200);
      await api.runJobs();
      api.context.clock.advance(60_000);
    };
    const { number, ...others } = fields;
    await change({
      ...others,
      no: { ...number, 'x-number': 'INV-{yyyy}-{00000}', 'x-renamed-from': 'number' },
    });
    const made = await api.post(BILLS, {});
    expect(made.body.no).toBe('INV-2026-00002');
    await change(others);
    await api.post(BILLS, {});
    await change({ ...others, no: number });
    expect((await api.post(BILLS, {})).body.no).toBe('INV-2026-0003');
  });

  it('come to no field that has values of its own, unless that is forced', async () => {
    const { number: _number, ...others } = fields;
    const api = await bills({ ...others, number: text });
    await api.post(BILLS, { number: 'INV-2026-0001' });
    const path = `${DEFINITIONS}/code/bill/schema`;
    const refused = await api.put(path, schemaOf(fields));
    expect(refused.body).toMatchObject({ status: 409, code: 'SCHEMA_INCOMPATIBLE' });
    expect((await api.put(`${path}?force=true`, schemaOf(fields))).status).toBe(200);
  });

  it('pass over what records of a unique field have already', async () => {
    const { number, ...others } = fields;
    const api = await bills({ ...others, number: { ...text, 'x-unique': true } });
    const taken = upTo(130).filter((_, at) => at !== 60);
    for (let at = 0; at < taken.length; at += 65) {
      const operations = taken.slice(at, at + 65).map((one) => ({
        ...{ op: 'create', data: { number: one } },
      }));
      expect((await api.post(`${BILLS}/bulk`, { operations })).status).toBe(200);
    }
    const path = `${DEFINITIONS}/code/bill/schema?force=true`;
    const unique = { ...others, number: { ...number, 'x-unique': true } };
    expect((await api.put(path, schemaOf(unique))).status).toBe(200);
    await api.runJobs();
    api.context.clock.advance(60_000);
    expect(await create(api)).toBe('INV-2026-0061');
    const operations = ['a', 'b'].map((customer) => ({ op: 'create', data: { customer } }));
    const made = await api.post(`${BILLS}/bulk`, { atomic: true, operations });
    expect(made.status, made.text).toBe(200);
    expect((await numbers(api)).slice(-2)).toEqual(['INV-2026-0131', 'INV-2026-0132']);
  });

  it.each([
    ['INV-{yyyy}-{0000}', 'RE-{yyyy}-{0000}', 200],
    ['INV-{yyyy}-{0000}', 'INV-{yyyy}-{0}', 200],
    ['INV-{0000}', 'INV-{yyyy}-{0000}', 200],
    ['{yyyy}-{0}', '{yy}-{0}', 200],
    ['N{0}', 'N1{0}', 409],
    ['N{000}', 'N{yy}{0}', 409],
    ['{yyyy}{0000}', '{yyyy}{mm}{0}', 409],
  ])(
    '%s becomes %s: %i, as no number may come again unless that is forced',
    async (before, after, status) => {
      const api = await bills({ number: { ...text, 'x-number': before } });
      await create(api);
      const path = `${DEFINITIONS}/code/bill/schema`;
      const next = schemaOf({ number: { ...text, 'x-number': after } });
      expect((await api.put(path, next)).status).toBe(status);
      expect((await api.put(`${path}?force=true`, next)).status).toBe(200);
    },
  );

  it('leave nothing to the next entity of the code', async () => {
    const api = await bills();
    await create(api);
    await api.remove(`${DEFINITIONS}/code/bill?force=true&purge=true`);
    await api.runJobs();
    api.context.clock.advance(60_000);
    await api.runJobs();
    expect((await api.define(bill())).status).toBe(201);
    expect(await create(api)).toBe('INV-2026-0001');
  });

  it.each<[object, string, object?]>([
    [{ ...text, 'x-number': 'INV' }, '/properties/number/x-number'],
    [{ ...text, 'x-number': 5 }, '/properties/number/x-number'],
    [{ ...text, 'x-number': 'A{0}{0}' }, '/properties/number/x-number'],
    [{ type: 'integer', 'x-number': 'A{0}' }, '/properties/number/type'],
    [{ ...text, 'x-number': 'A{0}', pattern: 'B' }, '/properties/number/pattern'],
    [{ ...text, 'x-number': 'A{0}', default: 'B' }, '/properties/number/default'],
    [{ ...text, 'x-number': 'A{0}', 'x-encrypted': true }, '/properties/number/x-encrypted'],
    [{ ...text, 'x-number': 'A{0}' }, '/required', { required: ['number'] }],
  ])('%j is refused at %s', async (number, pointer, more = {}) => {
    const api = anEntitiesApi();
    const definition = { code: 'bill', name: 'Bill', ...schemaOf({ number, other: text }, more) };
    const answer = await api.define(definition);
    expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_SCHEMA' });
    expect((answer.body.errors as { pointer: string }[]).map((error) => error.pointer)).toContain(
      pointer,
    );
  });

  it('are of one field for each format', async () => {
    const number = { ...text, 'x-number': 'A{00}' };
    const twice = { number, other: { ...text, 'x-number': 'A{0}' } };
    const answer = await anEntitiesApi().define(bill(twice));
    expect(answer.body).toMatchObject({ errors: [{ code: 'DUPLICATE' }] });
  });

  it.each([
    ['INV-{yyyy}-{0000}', undefined],
    ['{yyyy}{mm}{dd}{0}', undefined],
    ['{mm}-{0}', expect.stringContaining('{mm} without {yyyy} or {yy}')],
    ['{yyyy}-{dd}-{0}', expect.stringContaining('{dd} without {mm}')],
    ['{YYYY}-{0}', expect.stringContaining('has {YYYY}')],
    ['{0', expect.stringContaining('braces')],
    ['{{0}}', expect.stringContaining('braces')],
    ['', expect.stringContaining('one number')],
    [`${'x'.repeat(100)}{0}`, expect.stringContaining('100 characters')],
  ])('the format %s: %s', (format, problem) => {
    expect(formatError(format)).toEqual(problem);
  });
});
