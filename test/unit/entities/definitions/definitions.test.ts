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

const CODE = `${DEFINITIONS}/code/customer`;
const CUSTOMERS = `${RECORDS}/customer`;
const withField = (properties: object) => ({
  ...customerSchema,
  properties: { ...customerSchema.properties, ...properties },
});

async function withEntity(more: object = {}) {
  const api = anEntitiesApi();
  const defined = await api.define(aCustomerEntity({ ...more }));
  expect(defined.status, defined.text).toBe(201);
  return { ...api, defined };
}

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

describe('PUT .../schema', () => {
  it('derives the fields again and keeps the history', async () => {
    const { put, get, context } = await withEntity();

    const changed = await put(`${CODE}/schema`, withField({ nick: { type: 'string' } }));
    const versions = await get(`${CODE}/versions`);
    const field = await get(`${CODE}/fields/nick`);

    expect(changed.body, changed.text).toMatchObject({
      schemaVersion: 2,
      changes: [{ field: 'nick', change: 'ADDED', compatible: true }],
      jobs: [{ field: 'nick', state: 'WAITING' }],
    });
    expect(JSON.parse(versions.text)).toMatchObject([{ schemaVersion: 2 }, { schemaVersion: 1 }]);
    expect(field.body).toMatchObject({
      fieldType: 'STRING',
      schemaVersion: 2,
      indexState: 'WRITE_ONLY',
    });
    const stored = context.db.items().filter(({ type }) => type === 'DYN_FIELD_DEFINITION');
    expect(stored).toHaveLength(14);
    expect(context.bus.events.map(({ envelope }) => envelope.data)).toMatchObject([
      {},
      {},
      { action: 'SCHEMA_UPDATED' },
    ]);
  });

  it('takes {uiSchemaJson} as well, as text', async () => {
    const { put } = await withEntity();
    const uiSchemaJson = JSON.stringify(withField({ nick: { type: 'string' } }));

    expect((await put(`${CODE}/schema`, { uiSchemaJson })).body).toMatchObject({
      schemaVersion: 2,
    });
  });

  it('changes nothing in a dry run, and says how many records break', async () => {
    const { put, post, get } = await withEntity();
    await post(CUSTOMERS, { name: 'long name' });
    await post(CUSTOMERS, { name: 'ok' });

    const dry = await put(
      `${CODE}/schema?dryRun=true`,
      withField({ name: { type: 'string', maxLength: 3 } }),
    );

    expect(dry.body).toMatchObject({
      check: { checked: 2, invalid: 1 },
      changes: [{ field: 'name', change: 'TIGHTENED' }],
    });
    expect((await get(CODE)).body).toMatchObject({ schemaVersion: 1 });
  });

  it('refuses a type that stored values cannot have, unless forced', async () => {
    const { put, post } = await withEntity();
    await post(CUSTOMERS, { name: 'a' });
    const schema = withField({ city: { type: 'integer' } });

    expect(await put(`${CODE}/schema`, schema)).toMatchObject({
      status: 409,
      body: { code: 'SCHEMA_INCOMPATIBLE', fields: ['city'] },
    });
    expect((await put(`${CODE}/schema?force=true`, schema)).status).toBe(200);
  });

  it('leaves everything as it is when it fails', async () => {
    const { put, get, context } = await withEntity();
    context.db.failNext('network', { operation: 'TransactWriteItems' });

    const failed = await put(`${CODE}/schema`, withField({ nick: { type: 'string' } }));

    expect(failed.status).toBe(503);
    expect((await get(CODE)).body).toMatchObject({ schemaVersion: 1, version: 1 });
    expect(await get(`${CODE}/fields/nick`)).toMatchObject({
      status: 404,
      body: { code: 'FIELD_NOT_FOUND' },
    });
  });

  it('reads stored values in their new shape', async () => {
    const { put, post, get, runJobs } = await withEntity();
    const made = await post(CUSTOMERS, {
      name: 'a',
      priority: 3,
      city: 'Huế',
      dueDate: '2026-01-02',
    });
    const properties = {
      name: { type: 'string' },
      priority: { type: 'string' },
      place: { type: 'array', items: { type: 'string' }, 'x-renamed-from': 'city' },
      dueDate: { type: 'string', format: 'date-time' },
      level: { type: 'string', enum: ['low', 'high'], default: 'low' },
    };

    await put(`${CODE}/schema?force=true`, { type: 'object', required: ['level'], properties });
    await runJobs();

    expect((await get(`${CUSTOMERS}/${made.body.id}`)).body).toMatchObject({
      name: 'a',
      priority: '3',
      place: ['Huế'],
      dueDate: '2026-01-02T00:00:00Z',
      level: 'low',
    });
    expect(
      (await get(`${CUSTOMERS}?place=${encodeURIComponent('Huế')}&level=low`)).body,
    ).toMatchObject({ totalElements: 1 });
    expect((await get(`${CUSTOMERS}?level=low`)).body).toMatchObject({ totalElements: 1 });
    expect((await get(`${CUSTOMERS}/facets?fields=level`)).body).toEqual({
      level: [{ value: 'low', count: 1 }],
    });
  });

  it('keeps values of a removed field hidden and shows them when it returns', async () => {
    const { put, post, get, runJobs } = await withEntity();
    const { body } = await post(CUSTOMERS, { name: 'a', city: 'Huế' });
    const { city, ...others } = customerSchema.properties;

    await put(`${CODE}/schema`, { ...customerSchema, properties: others });
    const hidden = await put(`${CUSTOMERS}/${body.id}`, { amount: 1 });
    await put(`${CODE}/schema`, { ...customerSchema, properties: { ...others, city } });
    await runJobs();

    expect(hidden.body).not.toHaveProperty('city');
    expect((await get(`${CUSTOMERS}?city=${encodeURIComponent('Huế')}`)).body).toMatchObject({
      totalElements: 1,
    });
  });
});

describe('an index that is built online', () => {
  const cities = ['Huế', 'Hà Nội', 'Cần Thơ'];

  async function withBuild(count = 25) {
    const { city: _city, ...properties } = customerSchema.properties;
    const api = await withEntity({
      uiSchemaJson: { ...customerSchema, additionalProperties: true, properties },
    });
    for (let at = 0; at < count; at += 1) {
      await api.post(CUSTOMERS, { name: `n${at}`, city: cities[at % 3], status: 'open' });
    }
    const changed = await api.put(`${CODE}/schema`, customerSchema);
    return { ...api, job: `${CODE}/jobs/${(changed.body.jobs as { id: string }[])[0]?.id}` };
  }

  const hue = `${CUSTOMERS}?city=${encodeURIComponent('Huế')}&explain=true`;

  it('answers through the records until it is ready, and says so', async () => {
    const { get, runJobs, job } = await withBuild();

    const early = await get(hue);
    await runJobs();
    const late = await get(hue);

    expect(early.body).toMatchObject({
      totalElements: 9,
      warnings: [expect.stringContaining('city')],
    });
    expect((await get(job)).body).toMatchObject({ state: 'DONE', processed: 25 });
    expect(late.body).toMatchObject({ totalElements: 9, explain: { plan: 'equality' } });
    expect(late.body).not.toHaveProperty('warnings');
  });

  it('has every row once, whatever is written meanwhile and wherever it is interrupted', async () => {
    const { get, put, post, remove, runJobs, context, job } = await withBuild(30);
    const all = contentOf(await get(`${CUSTOMERS}?size=50`));
    context.db.failNext('network', { operation: 'TransactWriteItems', after: 12 });
    await runJobs();
    await put(`${CUSTOMERS}/${all[0]?.id}`, { city: 'Đà Lạt' });
    await remove(`${CUSTOMERS}/${all[1]?.id}`);
    await post(CUSTOMERS, { name: 'new', city: 'Huế' });
    context.clock.advance(600_000);
    await get(job);
    await runJobs();

    const rows = context.db
      .items()
      .filter(({ pk }) => String(pk).startsWith('DYN_FIELD_VALUE#customer#city@2#'));
    const live = contentOf(await get(`${CUSTOMERS}?size=50&sort=city`));

    expect((await get(job)).body).toMatchObject({ state: 'DONE' });
    expect(rows).toHaveLength(30);
    expect(live).toHaveLength(30);
  });

  it('of a unique field names the records that share a value', async () => {
    const { put, post, get, runJobs } = await withEntity();
    for (const city of ['Huế', 'HUE', 'Vinh']) await post(CUSTOMERS, { name: city, city });

    const changed = await put(
      `${CODE}/schema`,
      withField({ city: { type: 'string', 'x-unique': true } }),
    );
    await runJobs();
    const [{ id } = { id: '' }] = changed.body.jobs as { id: string }[];
    const job = await get(`${CODE}/jobs/${id}`);

    expect(job.body).toMatchObject({
      state: 'FAILED',
      result: { conflictIds: [expect.any(String)], field: 'city' },
    });
    expect(await post(CUSTOMERS, { name: 'x', city: 'vinh' })).toMatchObject({ status: 409 });
  });
});

describe('POST .../recount', () => {
  it('repairs counters and takes out rows that lead nowhere', async () => {
    const { post, get, runJobs, context } = await withEntity();
    await post(CUSTOMERS, { name: 'a', status: 'open' });
    await context.batchWrite({
      puts: [
        { pk: 'DYN_COUNTER#customer', sk: '00', n: 7, 'status=open': 9 },
        {
          pk: 'DYN_FIELD_VALUE#customer#city#0',
          sk: '1hue\u001f00000000-0000-7000-8000-00000000dead',
        },
      ],
    });

    const { status } = await post(`${CODE}/recount`);
    await runJobs();

    expect(status).toBe(202);
    expect((await get(`${CUSTOMERS}/facets?fields=status`)).body).toEqual({
      status: [{ value: 'open', count: 1 }],
    });
    expect(context.db.items().filter(({ sk }) => String(sk).includes('dead'))).toEqual([]);
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
