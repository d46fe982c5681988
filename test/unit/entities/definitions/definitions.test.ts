import { describe, expect, it } from 'vitest';
import { createEntitiesModule } from '../../../../functions/entities/index.ts';
import { aContext } from '../../../helpers/world/a-context.ts';
import {
  aCustomerEntity,
  anEntitiesApi,
  contentOf,
  customerSchema,
  DEFINITIONS,
  RECORDS,
} from '../entities-api.ts';
import { CODE, CUSTOMERS, withEntity } from './customer-entity.ts';

describe('POST /api/v1/entity-definitions', () => {
  it('declares an entity with the defaults and its fields', async () => {
    const { defined, context } = await withEntity({ uiSchemaJson: JSON.stringify(customerSchema) });

    expect(defined.headers.location).toBe(CODE);
    expect(defined.body).toMatchObject({
      code: 'customer',
      apiPath: 'customers',
      requireAuth: true,
      requirePermission: false,
      hierarchical: false,
      schemaVersion: 1,
      uiSchemaJson: JSON.stringify(customerSchema),
    });
    const types = context.db.items().map(({ type }) => type);
    expect(types).toContain('DYN_ENTITY_DEFINITION');
    expect(types.filter((type) => type === 'DYN_FIELD_DEFINITION')).toHaveLength(13);
  });

  it('publishes it with the entry of a menu', async () => {
    const api = anEntitiesApi({ svc: { dynamic: { 'permission-prefix': 'crm' } } });
    await api.define(aCustomerEntity());

    expect(api.context.bus.events[0]?.envelope).toMatchObject({
      type: 'dynamic-entity-definition',
      subject: 'customer',
      data: {
        action: 'CREATED',
        menu: { key: 'customer', path: '/customers', permission: 'crm:customers:view' },
      },
    });
  });

  it.each([
    [{ code: '1x' }, 400, 'VALIDATION_FAILED'],
    [{ code: 'customer' }, 409, 'CODE_EXISTS'],
    [{ code: 'customers' }, 409, 'CODE_EXISTS'],
    [{ code: 'other', apiPath: 'customer' }, 409, 'CODE_EXISTS'],
    [{ code: 'other', apiPath: 'customers' }, 409, 'CODE_EXISTS'],
    [{ code: 'other', apiPath: 'a/b' }, 400, 'VALIDATION_FAILED'],
    [{ code: 'other', apiPath: 'setting' }, 400, 'VALIDATION_FAILED'],
    [{ code: 'other', apiPath: 'Template' }, 400, 'VALIDATION_FAILED'],
    [{ code: 'dynamic', apiPath: 'other' }, 400, 'VALIDATION_FAILED'],
    [{ code: 'other', apiPath: 'o', uiSchemaJson: '{x' }, 400, 'INVALID_SCHEMA'],
    [{ code: 'other', apiPath: 'o', colour: 'red' }, 400, 'UNKNOWN_FIELD'],
    [{ code: 'other', apiPath: 'o', options: { shards: 3 } }, 400, 'VALIDATION_FAILED'],
  ])('refuses %j', async (more, status, code) => {
    const { define } = await withEntity();

    expect(await define(aCustomerEntity(more))).toMatchObject({ status, body: { code } });
  });

  it('keeps limits beyond the whole numbers of JavaScript', async () => {
    const { define, get } = anEntitiesApi();
    const a = { type: 'number', maximum: 1e20, default: 2 ** 60 };
    const uiSchemaJson = { type: 'object', properties: { a } };

    const made = await define({ code: 'big', name: 'Big', apiPath: 'bigs', uiSchemaJson });

    expect(made.status, made.text).toBe(201);
    expect((await get('/api/v1/entity-definitions/code/big/fields/a')).body).toMatchObject({
      maximum: 1e20,
      default: 2 ** 60,
    });
  });

  it('lets one of two win at the same time', async () => {
    const { define } = anEntitiesApi();

    const answers = await Promise.all([define(aCustomerEntity()), define(aCustomerEntity())]);

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('needs the permission', async () => {
    const { call } = anEntitiesApi();
    const request = { method: 'POST', path: DEFINITIONS, body: aCustomerEntity() };

    expect(await call({ ...request, caller: { sub: 'u' } })).toMatchObject({ status: 403 });
    expect(
      await call({ ...request, caller: { sub: 'u', permissions: ['entity-definitions:add'] } }),
    ).toMatchObject({ status: 201 });
  });
});

describe('definitions', () => {
  it('are listed, found and counted', async () => {
    const { define, get } = await withEntity();
    await define(aCustomerEntity({ code: 'order', name: 'Đơn hàng', apiPath: 'orders' }));

    expect(contentOf(await get(DEFINITIONS)).map(({ code }) => code)).toEqual([
      'customer',
      'order',
    ]);
    expect(contentOf(await get(`${DEFINITIONS}?q=don&size=1`))).toMatchObject([{ code: 'order' }]);
    expect((await get(`${DEFINITIONS}?sort=-code`)).body).toMatchObject({
      totalElements: 2,
      content: [{ code: 'order' }, {}],
    });
  });

  it('change their name and path; the old path is free again', async () => {
    const { put, get, define } = await withEntity();

    const changed = await put(
      CODE,
      { name: 'Clients', apiPath: 'clients' },
      { headers: { 'if-match': '"1"' } },
    );
    const stale = await put(CODE, { name: 'x' }, { headers: { 'if-match': '"1"' } });
    const byPath = await get(`${RECORDS}/clients`);
    const other = await define(aCustomerEntity({ code: 'other', apiPath: 'customers' }));

    expect(changed.body).toMatchObject({ name: 'Clients', version: 2 });
    expect(stale.status).toBe(412);
    expect([byPath.status, other.status]).toEqual([200, 201]);
  });

  it('become a tree with the records that are there, and stay one', async () => {
    const { put, post, get, runJobs } = await withEntity();
    await post(CUSTOMERS, { name: 'a' });

    await put(CODE, { hierarchical: true });
    await runJobs();
    const flat = await put(CODE, { hierarchical: false });
    const relabelled = await put(`${CODE}/schema`, { ...customerSchema, 'x-label': 'city' });

    expect(JSON.parse((await get(`${CUSTOMERS}/tree`)).text)).toMatchObject([{ label: 'a' }]);
    expect(flat).toMatchObject({ status: 409, body: { code: 'ENTITY_HAS_RECORDS' } });
    expect(relabelled).toMatchObject({ status: 409, body: { code: 'SCHEMA_INCOMPATIBLE' } });
  });

  it('keep the number of shards', async () => {
    const { put } = await withEntity();

    expect(await put(CODE, { options: { shards: 4 } })).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '/options/shards',
            code: 'IMMUTABLE',
            detail: expect.stringMatching(
              /^cannot change after creation \(it is 1\); .* import them into a new entity$/,
            ),
          },
        ],
      },
    });
    expect((await put(CODE, { options: { shards: 1 } })).status).toBe(200);
    expect((await put(CODE, { options: { history: true } })).body).toMatchObject({
      options: { history: true, shards: 1 },
    });
  });

  it('are deleted only without records, unless told so, and come back', async () => {
    const { post, remove, get, define } = await withEntity();
    await post(CUSTOMERS, { name: 'a' });

    const refused = await remove(CODE);
    const deleted = await remove(`${CODE}?force=true`);
    const gone = await get(CUSTOMERS);
    const taken = await define(aCustomerEntity());
    const restored = await post(`${CODE}/restore`);

    expect(refused).toMatchObject({ status: 409, body: { code: 'ENTITY_HAS_RECORDS' } });
    expect(deleted.status).toBe(204);
    expect(gone).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND' } });
    expect(taken.status).toBe(409);
    expect(restored.status).toBe(200);
    expect((await get(CUSTOMERS)).body).toMatchObject({ totalElements: 1 });
  });

  it('leave nothing behind when they are purged', async () => {
    const { post, remove, runJobs, define, context } = await withEntity({
      hierarchical: true,
      options: { history: true },
    });
    const { body } = await post(CUSTOMERS, {
      name: 'a',
      email: 'a@b.cd',
      notes: 'x'.repeat(5_000),
    });
    await post(CUSTOMERS, { name: 'b', parentId: body.id });
    await remove(`${CUSTOMERS}/${body.id}?cascade=true`);

    await remove(`${CODE}?force=true&purge=true`);
    await runJobs();

    const left = context.db
      .items()
      .filter(({ pk }) => String(pk).startsWith('DYN_') && !String(pk).startsWith('DYN_JOB'));
    expect(left).toEqual([]);
    expect((await define(aCustomerEntity())).status).toBe(201);
  });
});

describe('DynamicSecurityConfigurer.getPublicPaths', () => {
  it('lists the paths of entities that need no login', async () => {
    const context = aContext({ module: 'entities' });
    const { define } = anEntitiesApi({ besides: context });
    await define(aCustomerEntity({ requireAuth: false }));
    await define(aCustomerEntity({ code: 'order', apiPath: 'orders' }));
    const { securityConfigurer } = createEntitiesModule(context).services;

    const paths = await securityConfigurer.getPublicPaths();

    expect(paths).toEqual([
      '/api/v1/dynamic/customer',
      '/api/v1/dynamic/customer/**',
      '/api/v1/dynamic/customers',
      '/api/v1/dynamic/customers/**',
      '/api/v1/customers',
      '/api/v1/customers/**',
    ]);
    expect(await securityConfigurer.isPublic('/api/v1/customers/7/history')).toBe(true);
    expect(await securityConfigurer.isPublic('/api/v1/customersx')).toBe(false);
  });
});
