import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import {
  aCustomerEntity,
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  RECORDS,
} from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customer`;
type Decisions = Readonly<Record<string, boolean | PermissionDecision>>;
const only = (...fields: string[]): PermissionDecision => ({ allowed: true, fields });

/** Customers, and the API as a caller with these decisions by action sees it; what is not named is allowed. */
async function seenWith(decisions: Decisions, schema: object = {}) {
  const { uiSchemaJson, ...entity } = aCustomerEntity({ requirePermission: true });
  const open = anEntitiesApi();
  await open.define({ ...entity, uiSchemaJson: { ...(uiSchemaJson as object), ...schema } });
  const hasPermission = (_who: unknown, _target: string, action: string) =>
    decisions[action] ?? true;
  const caller = anEntitiesApi({
    besides: open.context,
    host: { permissionEvaluator: { hasPermission }, storage: memoryStorage() },
  });
  const make = async (values: object): Promise<string> => {
    const made = await open.post(CUSTOMERS, values);
    expect(made.status, made.text).toBe(201);
    return `${CUSTOMERS}/${made.body.id}`;
  };
  return { open, caller, make };
}

describe('what an answer shows', () => {
  it('of a live record read with deleted=true is what view shows', async () => {
    const { caller, make } = await seenWith({ view: only('name') });
    const path = await make({ name: 'An', amount: 5 });

    const { body } = await caller.get(`${path}?deleted=true`);

    expect(body).toMatchObject({ name: 'An' });
    expect(body).not.toHaveProperty('amount');
  });

  it('of a live record read with deleted=true is nothing for who may only delete', async () => {
    const { caller, make } = await seenWith({ view: false });
    const path = await make({ name: 'An' });

    expect(await caller.get(`${path}?deleted=true`)).toMatchObject({
      status: 403,
      body: { action: 'view' },
    });
  });

  it('of a record in the trash is what view and delete show', async () => {
    const { open, caller, make } = await seenWith({
      view: only('name', 'city'),
      delete: only('city', 'amount'),
    });
    const path = await make({ name: 'An', city: 'Huế', amount: 5 });
    await open.remove(path);

    const [listed] = contentOf(await caller.get(`${CUSTOMERS}/trash`));
    const { body: read } = await caller.get(`${path}?deleted=true`);
    const { body: restored } = await caller.post(`${path}/restore`);

    for (const shown of [listed, read, restored]) {
      expect(shown).toMatchObject({ city: 'Huế' });
      expect(shown).not.toHaveProperty('name');
      expect(shown).not.toHaveProperty('amount');
    }
  });

  it.each([
    ['fields', only('name'), { name: 'An' }],
    ['rows', { allowed: true, rowFilter: { city: 'Vinh' } }, {}],
    ['nothing', false, {}],
  ] as const)('to a change is what view shows: %s', async (_what, view, shown) => {
    const { caller, make } = await seenWith({ view });
    const path = await make({ name: 'An', city: 'Huế', amount: 5 });

    const changed = await caller.put(path, { status: 'open' });
    const unchanged = await caller.put(path, {});
    const made = await caller.post(CUSTOMERS, { name: 'An', city: 'Huế', amount: 5 });

    for (const { status, body } of [changed, unchanged, made]) {
      expect(status).toBeLessThan(300);
      const { id, version, createdAt, createdBy, updatedAt, updatedBy, ...values } = body;
      expect(values).toEqual(shown);
    }
  });

  it('does not confirm a guess of a value that is not shown', async () => {
    const { caller, make } = await seenWith({ view: only('name') });
    const path = await make({ name: 'An', city: 'Huế' });

    const versions: unknown[] = [];
    for (const change of [{ city: 'Vinh' }, { city: 'Vinh' }, { email: null }]) {
      versions.push((await caller.put(path, change)).body.version);
    }

    expect(versions).toEqual([2, 3, 4]);
    expect((await caller.put(path, { name: 'An' })).body.version).toBe(4);
  });

  it('does not confirm a guess of a value that nobody is shown', async () => {
    const { open, make } = await seenWith(
      {},
      {
        properties: { name: { type: 'string' }, pin: { type: 'string', writeOnly: true } },
        'x-indexes': [],
      },
    );
    const path = await make({ name: 'An', pin: '1234' });

    expect((await open.put(path, { pin: '1234' })).body.version).toBe(2);
  });
});

describe('q', () => {
  const searched = {
    properties: {
      name: { type: 'string', 'x-search': true },
      notes: { type: 'string', 'x-search': true },
    },
    'x-indexes': [],
  };

  it('does not search the fields that are hidden from the caller', async () => {
    const { open, caller, make } = await seenWith({ view: only('name') }, searched);
    await make({ name: 'An', notes: 'bankrupt' });
    await make({ name: 'Bankole', notes: 'fine' });
    const found = async ({ get }: typeof open, q: string) => {
      const list = await get(`${CUSTOMERS}?q=${q}`);
      const { body: count } = await get(`${CUSTOMERS}/count?q=${q}`);
      const file = await get(`${CUSTOMERS}/export?format=json&fields=name&q=${q}`);
      return [contentOf(list).map(({ name }) => name), count.count, JSON.parse(file.text).length];
    };

    expect(await found(open, 'bank')).toEqual([['Bankole', 'An'], 2, 2]);
    expect(await found(caller, 'bank')).toEqual([['Bankole'], 1, 1]);
    expect(await found(caller, 'bankrupt')).toEqual([[], 0, 0]);
  });

  it('is refused where every field that it searches is hidden, as if there were none', async () => {
    const { caller } = await seenWith({ view: only('city') });

    expect(await caller.get(`${CUSTOMERS}?q=a`)).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'q', code: 'NOT_SEARCHABLE' }] },
    });
  });
});

describe('a list of some rows', () => {
  const rows = { allowed: true, rowFilter: { city: 'Huế' } } as const;

  it('ends with the last record that is shown', async () => {
    const { caller, make } = await seenWith({ view: rows });
    await make({ name: 'hidden', city: 'Vinh' });
    await make({ name: 'An', city: 'Huế' });

    const byWalk = await caller.get(`${CUSTOMERS}?size=1&name[contains]=n&sort=name`);

    expect(byWalk.body).toMatchObject({ nextCursor: null, last: true });
  });

  it('does not explain what it has read', async () => {
    const { caller } = await seenWith({ view: rows });

    expect((await caller.get(`${CUSTOMERS}?explain=true`)).status).toBe(403);
  });
});

describe('a job', () => {
  it('that imports is followed and cancelled by who may only add, one that is not there by nobody', async () => {
    const { caller } = await seenWith({ view: false, edit: false, delete: false });
    const rows = Array.from({ length: 501 }, (_, at) => ({ name: `n${at}` }));

    const started = await caller.post(`${CUSTOMERS}/import`, rows);
    const job = `${CUSTOMERS}/jobs/${started.body.id}`;

    expect(started.status, started.text).toBe(202);
    expect(await caller.get(job)).toMatchObject({ status: 200, body: { kind: 'IMPORT' } });
    expect((await caller.post(`${job}:cancel`)).status).toBe(202);
    expect((await caller.get(`${CUSTOMERS}/jobs/${crypto.randomUUID()}`)).status).toBe(403);
  });
});

describe('what a refusal says', () => {
  it('does not name a hidden field whose stored value breaks the schema', async () => {
    const { open, caller, make } = await seenWith({ view: only('name'), edit: only('name') });
    const path = await make({ name: 'An', amount: 5_000, notes: 'x' });
    const { uiSchemaJson } = aCustomerEntity();
    const { properties, ...schema } = uiSchemaJson as { properties: object };
    const changed = await open.put(`${DEFINITIONS}/code/customer/schema?force=true`, {
      ...schema,
      properties: { ...properties, amount: { type: 'number', maximum: 1_000 } },
      dependentRequired: { notes: ['city'] },
    });
    expect(changed.status, changed.text).toBe(200);
    open.context.clock.advance(60_000);

    const seen = await open.put(path, { name: 'Bình' });
    const narrowed = await caller.put(path, { name: 'Bình' });

    expect(seen.text).toMatch(/amount.*1000/);
    expect(narrowed).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ pointer: '', code: 'HIDDEN_FIELDS' }] },
    });
    expect(narrowed.text).not.toMatch(/amount|1000|notes|city/);
  });

  it('does not name who refers to a record, unless the caller may know', async () => {
    const { open, caller, make } = await seenWith({});
    const path = await make({ name: 'An' });
    const id = path.slice(path.lastIndexOf('/') + 1);
    const reference = { type: 'string', 'x-reference': { entity: 'customer' } };
    await open.define({
      ...{ code: 'case', name: 'Case', apiPath: 'cases', requirePermission: true },
      uiSchemaJson: { type: 'object', properties: { against: reference } },
    });
    await open.post(`${RECORDS}/case`, { against: id });
    const hasPermission = (_who: unknown, target: string) => target !== 'cases';
    const outsider = anEntitiesApi({
      besides: open.context,
      host: { permissionEvaluator: { hasPermission } },
    });

    const told = await caller.remove(path);
    const untold = await outsider.remove(path);

    expect(told.body).toMatchObject({ code: 'REFERENCED', entity: 'case', field: 'against' });
    expect(untold).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect(untold.text).not.toMatch(/case|against/);
  });
});
