import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import type { ContextOptions } from '../../../helpers/world/a-context.ts';
import {
  aCustomerEntity,
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  RECORDS,
} from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customer`;
const FLAGS = `${DEFINITIONS}/code/customer`;

async function withEntity(more: object, options: ContextOptions = {}) {
  const api = anEntitiesApi(options);
  await anEntitiesApi({ besides: api.context }).define(aCustomerEntity({ ...more }));
  return api;
}

const nobody = { caller: null };
const somebody = { caller: { sub: 'lan' } };

describe('requireAuth', () => {
  it('false lets anybody in, but no wrong token', async () => {
    const { get, post } = await withEntity({ requireAuth: false });

    expect((await post(CUSTOMERS, { name: 'a' }, nobody)).body).toMatchObject({
      createdBy: 'anonymous',
    });
    expect((await get(CUSTOMERS, nobody)).status).toBe(200);
    expect((await get(CUSTOMERS, { token: 'x.y.z' })).status).toBe(401);
  });

  it('true refuses who sends no token', async () => {
    const { get, post } = await withEntity({});

    const answer = await get(CUSTOMERS, nobody);

    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    expect((await post(CUSTOMERS, { name: 'a' }, somebody)).status).toBe(201);
  });

  it('is in force everywhere within ten seconds once it is tightened, and at once when loosened', async () => {
    const { get, context } = await withEntity({ requireAuth: false });
    const other = anEntitiesApi({ besides: context });
    await get(CUSTOMERS, nobody);

    await other.put(FLAGS, { requireAuth: true });
    context.clock.advance(9_999);
    const tightened = await get(CUSTOMERS, nobody);
    await other.put(FLAGS, { requireAuth: false });
    const loosened = await get(CUSTOMERS, nobody);

    expect([tightened.status, loosened.status]).toEqual([401, 200]);
  });
});

describe('requirePermission', () => {
  const cases = [
    ['view', 'GET', CUSTOMERS, undefined],
    ['view', 'GET', `${CUSTOMERS}/count`, undefined],
    ['view', 'GET', `${CUSTOMERS}/facets?fields=status`, undefined],
    ['view', 'GET', `${CUSTOMERS}/schema`, undefined],
    ['view', 'GET', `${CUSTOMERS}/export`, undefined],
    ['add', 'POST', CUSTOMERS, { name: 'a' }],
    ['add', 'POST', `${CUSTOMERS}/import`, [{ name: 'a' }]],
    ['edit', 'PUT', `${CUSTOMERS}/{id}`, { city: 'x' }],
    ['delete', 'GET', `${CUSTOMERS}/trash`, undefined],
    ['delete', 'DELETE', `${CUSTOMERS}/{id}`, undefined],
  ] as const;

  it.each(cases)('asks for %s at %s %s', async (action, method, path, body) => {
    const api = await withEntity(
      { requirePermission: true },
      { svc: { dynamic: { 'permission-prefix': 'crm' } } },
    );
    const { body: made } = await api.post(CUSTOMERS, { name: 'b' });
    const request = { method, path: path.replace('{id}', String(made.id)), body };

    const refused = await api.call({ ...request, caller: { sub: 'lan', permissions: [] } });
    const allowed = await api.call({
      ...request,
      caller: { sub: 'lan', permissions: [`crm:customers:${action}`] },
    });

    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', target: 'crm:customers', action },
    });
    expect(allowed.status, allowed.text).toBeLessThan(300);
  });

  it('asks for a login first', async () => {
    const { get } = await withEntity({ requirePermission: true, requireAuth: false });

    expect((await get(CUSTOMERS, nobody)).status).toBe(401);
  });

  it('is not checked without an evaluator, and says so once', async () => {
    const { get, context } = await withEntity({ requirePermission: true }, { host: {} });

    expect((await get(CUSTOMERS, somebody)).status).toBe(200);
    expect(JSON.stringify(context.log)).toContain('PERMISSION_CHECK_ABSENT');
  });

  it('refuses without an evaluator where that is configured', async () => {
    const { get } = await withEntity(
      { requirePermission: true },
      { host: {}, svc: { dynamic: { 'permission-fail-closed': true } } },
    );

    expect((await get(CUSTOMERS, somebody)).status).toBe(403);
  });
});

describe('a decision that narrows', () => {
  const decision: PermissionDecision = {
    allowed: true,
    rowFilter: { city: 'Huế' },
    fields: ['name', 'city', 'status'],
  };
  const host = { permissionEvaluator: { hasPermission: () => decision } };

  async function narrowed() {
    const { context } = await withEntity({ requirePermission: true, hierarchical: true });
    const open = anEntitiesApi({ besides: context });
    const ids: string[] = [];
    for (const city of ['Huế', 'Vinh']) {
      ids.push(
        String(
          (await open.post(CUSTOMERS, { name: city, city, amount: 5, status: 'open' })).body.id,
        ),
      );
    }
    return { ...anEntitiesApi({ besides: context, host }), ids };
  }

  it('holds in lists, counts, facets, exports and trees', async () => {
    const { get } = await narrowed();

    const list = await get(CUSTOMERS);
    const file = await get(`${CUSTOMERS}/export?format=json`);
    const tree = await get(`${CUSTOMERS}/tree`);

    expect(contentOf(list)).toMatchObject([{ name: 'Huế' }]);
    expect(contentOf(list)[0]).not.toHaveProperty('amount');
    expect(list.body.totalElements).toBe(1);
    expect((await get(`${CUSTOMERS}/count`)).body).toEqual({ count: 1, relation: 'eq' });
    expect((await get(`${CUSTOMERS}/facets?fields=status`)).body).toEqual({
      status: [{ value: 'open', count: 1 }],
    });
    expect(JSON.parse(file.text)).toMatchObject([{ name: 'Huế' }]);
    expect(file.text).not.toContain('amount');
    expect(JSON.parse(tree.text)).toMatchObject([{ label: 'Huế' }]);
    expect(JSON.parse(tree.text)).toHaveLength(1);
  });

  it('hides other records, and what it hides cannot be filtered, sorted, written or moved out of sight', async () => {
    const { get, put, post, remove, ids } = await narrowed();
    const [seen, hidden] = ids.map((id) => `${CUSTOMERS}/${id}`) as [string, string];

    expect((await get(hidden)).status).toBe(404);
    expect((await put(hidden, { name: 'x' })).status).toBe(404);
    expect((await remove(hidden)).status).toBe(404);
    expect((await get(`${CUSTOMERS}?amount=5`)).status).toBe(403);
    expect((await get(`${CUSTOMERS}?sort=amount`)).status).toBe(403);
    expect((await get(`${CUSTOMERS}/export?amount=5`)).status).toBe(403);
    expect((await get(`${CUSTOMERS}/export?city=Hu%E1%BA%BF&version[gte]=1`)).status).toBe(200);
    expect((await put(seen, { amount: 6 })).status).toBe(403);
    expect((await put(seen, { city: 'Vinh' })).status).toBe(403);
    expect((await post(CUSTOMERS, { name: 'x', city: 'Vinh' })).status).toBe(403);
    expect((await put(seen, { status: 'wip' })).body).toMatchObject({ status: 'wip' });
  });

  it('holds in the trash, histories, bulk calls, imports and expanded references', async () => {
    const { context, ids } = await narrowed();
    const open = anEntitiesApi({ besides: context });
    const [seen, hidden] = ids as [string, string];
    await open.define({
      code: 'visit',
      name: 'Visit',
      apiPath: 'visits',
      options: { history: true },
      uiSchemaJson: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          name: { type: 'string' },
          amount: { type: 'number' },
          status: { type: 'string', 'x-reference': { entity: 'customer', onDelete: 'none' } },
        },
      },
      requirePermission: true,
    });
    const visits = `${RECORDS}/visit`;
    const first = await open.post(visits, { city: 'Huế', status: hidden, amount: 1 });
    await open.post(visits, { city: 'Huế', status: seen });
    const { get, post } = anEntitiesApi({ besides: context, host });

    const expanded = contentOf(await get(`${visits}?expand=status&sort=createdAt`));
    const history = contentOf(await get(`${visits}/${first.body.id}/history`));
    const bulk = await post(`${CUSTOMERS}/bulk`, {
      operations: [
        { op: 'update', id: hidden, data: { name: 'x' } },
        { op: 'delete', id: hidden },
        { op: 'create', data: { name: 'x', city: 'Vinh' } },
        { op: 'create', data: { name: 'x', city: 'Huế', amount: 1 } },
      ],
    });
    const imported = await post(`${CUSTOMERS}/import`, [
      { name: 'x', city: 'Vinh' },
      { name: 'y', city: 'Huế' },
    ]);
    for (const id of ids) await open.remove(`${CUSTOMERS}/${id}`);
    const trash = await get(`${CUSTOMERS}/trash`);

    expect(expanded[0]?.status).toBe(hidden);
    expect(expanded[1]?.status).toMatchObject({ id: seen, name: 'Huế' });
    expect(expanded[1]?.status).not.toHaveProperty('amount');
    expect(history).toHaveLength(1);
    expect(JSON.stringify(history)).not.toContain('amount');
    expect((bulk.body.results as { status: number }[]).map(({ status }) => status)).toEqual([
      404, 404, 403, 403,
    ]);
    expect(imported.body).toMatchObject({ created: 1, failed: 1, errors: [{ row: 1 }] });
    expect(contentOf(trash)).toMatchObject([{ id: seen }]);
    expect(trash.body.totalElements).toBe(1);
    expect(contentOf(trash)[0]).not.toHaveProperty('amount');
  });

  describe('with presets', () => {
    const presets = { city: 'Huế', status: 'open' };
    const presetting = {
      permissionEvaluator: { hasPermission: () => ({ ...decision, fields: ['name'], presets }) },
    };

    it('gives them to every new record, whatever is sent, and to no changed one', async () => {
      const { context } = await withEntity({ requirePermission: true });
      const open = anEntitiesApi({ besides: context });
      const { post, put } = anEntitiesApi({ besides: context, host: presetting });

      const single = await post(CUSTOMERS, { name: 'a', city: 'Vinh', status: null });
      const bulk = await post(`${CUSTOMERS}/bulk`, {
        operations: [{ op: 'create', data: { name: 'b', status: 'closed' } }],
      });
      const atomic = await post(`${CUSTOMERS}/bulk`, {
        atomic: true,
        operations: [{ op: 'create', data: { name: 'c' } }],
      });
      const imported = await post(`${CUSTOMERS}/import`, [{ name: 'd', city: 'Vinh' }]);
      const [first] = contentOf(await open.get(`${CUSTOMERS}?sort=name`));
      await open.put(`${CUSTOMERS}/${first?.id}`, { status: 'wip' });
      await put(`${CUSTOMERS}/${first?.id}`, { name: 'a2' });
      const stored = contentOf(await open.get(`${CUSTOMERS}?sort=name`));

      expect([single.status, bulk.status, atomic.status]).toEqual([201, 200, 200]);
      expect(imported.body).toMatchObject({ created: 1, failed: 0 });
      expect(single.body).not.toHaveProperty('city');
      expect(stored.map(({ name, city, status }) => [name, city, status])).toEqual([
        ['a2', 'Huế', 'wip'],
        ['b', 'Huế', 'open'],
        ['c', 'Huế', 'open'],
        ['d', 'Huế', 'open'],
      ]);
    });

    it.each([
      [{ owner: 'x' }, 'INVALID_PARAMETER', { parameter: 'presets', code: 'UNKNOWN_FIELD' }],
      [{ amount: 'x' }, 'VALIDATION_FAILED', { pointer: '/amount' }],
    ])('refuses %j, which does not fit the entity', async (unfit, code, error) => {
      const hasPermission = () => ({ allowed: true, presets: unfit });
      const host = { permissionEvaluator: { hasPermission } };
      const { post } = await withEntity({ requirePermission: true }, { host });

      const answer = await post(CUSTOMERS, { name: 'a' });

      expect(answer).toMatchObject({ status: 400, body: { code, errors: [error] } });
    });
  });

  it('hides which record holds a unique value, unless the caller may view it and the value', async () => {
    const { context } = await withEntity({ requirePermission: true });
    const open = anEntitiesApi({ besides: context });
    const made = await open.post(CUSTOMERS, { name: 'a', email: 'a@example.com', city: 'Huế' });
    const own = await open.post(CUSTOMERS, { name: 'b', email: 'b@example.com', city: 'Vinh' });
    const conflictsFor = async (view: boolean | PermissionDecision): Promise<unknown[]> => {
      const hasPermission = (_who: unknown, _target: string, action: string) =>
        action === 'view' ? view : true;
      const { post, put } = anEntitiesApi({
        besides: context,
        host: { permissionEvaluator: { hasPermission } },
      });
      const body = { name: 'c', email: 'A@example.com' };
      const bulk = await post(`${CUSTOMERS}/bulk`, { operations: [{ op: 'create', data: body }] });
      const answers = [
        await post(CUSTOMERS, body),
        await post(CUSTOMERS, body, { headers: { 'idempotency-key': crypto.randomUUID() } }),
        await put(`${CUSTOMERS}/${own.body.id}`, { email: 'A@example.com' }),
        await post(`${CUSTOMERS}/bulk`, {
          atomic: true,
          operations: [{ op: 'create', data: body }],
        }),
      ];
      expect(answers.map(({ body: { code } }) => code)).toEqual(
        answers.map(() => 'UNIQUE_VIOLATION'),
      );
      const [{ error }] = bulk.body.results as [{ error: { conflictId?: string } }];
      return [...answers.map(({ body: { conflictId } }) => conflictId), error.conflictId];
    };
    const always = Array.from({ length: 5 }, () => made.body.id);
    const never = always.map(() => undefined);

    expect(await conflictsFor(true)).toEqual(always);
    expect(await conflictsFor({ allowed: true, rowFilter: { city: 'Huế' } })).toEqual(always);
    expect(await conflictsFor({ allowed: true, rowFilter: { city: 'Vinh' } })).toEqual(never);
    expect(await conflictsFor({ allowed: true, fields: ['name'] })).toEqual(never);
    expect(await conflictsFor(false)).toEqual(never);
  });

  it('narrows the form schema', async () => {
    const { get } = await narrowed();

    const { body } = await get(`${CUSTOMERS}/schema`);

    expect((body.fields as { code: string }[]).map(({ code }) => code)).toEqual([
      'name',
      'status',
      'city',
    ]);
    expect(Object.keys((body.schema as { properties: object }).properties)).toEqual([
      'name',
      'status',
      'city',
    ]);
  });
});

describe('GET {prefix}/dynamic/{entity}/schema', () => {
  it('names operators, order and what the caller may do', async () => {
    const { get } = await withEntity({ requirePermission: true });
    const caller = { sub: 'lan', permissions: ['customers:view', 'customers:edit'] };

    const { body } = await get(`${CUSTOMERS}/schema`, { caller });

    expect(body).toMatchObject({
      code: 'customer',
      version: 1,
      permissions: { view: true, add: false, edit: true, delete: false },
    });
    expect(body.fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: 'name',
          sortable: true,
          operators: expect.arrayContaining(['eq', 'contains']),
        }),
        expect.objectContaining({ code: 'notes', sortable: false, operators: [] }),
        expect.objectContaining({
          code: 'active',
          operators: ['eq', 'ne', 'in', 'nin', 'null', 'exists'],
        }),
      ]),
    );
  });
});

describe('svc.dynamic.api-prefix', () => {
  it('moves the records and leaves the definitions', async () => {
    const { get } = await withEntity({}, { svc: { dynamic: { 'api-prefix': '/rest' } } });

    expect((await get('/rest/dynamic/customer')).status).toBe(200);
    expect((await get('/rest/customers')).status).toBe(200);
    expect((await get(CUSTOMERS)).status).toBe(404);
    expect((await get(DEFINITIONS)).status).toBe(200);
  });
});
