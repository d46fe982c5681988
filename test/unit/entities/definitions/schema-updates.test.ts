import { describe, expect, it } from 'vitest';
import { contentOf, customerSchema } from '../entities-api.ts';
import { CODE, CUSTOMERS, withEntity, withField } from './customer-entity.ts';

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
