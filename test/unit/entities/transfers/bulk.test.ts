import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import { contentOf, RECORDS } from '../entities-api.ts';
import { create, FROM, withEntities } from './two-entities.ts';

describe('POST {prefix}/dynamic/{entity}/bulk', () => {
  it('tells what became of each operation', async () => {
    const { post } = await withEntities();
    const { body: old } = await post(FROM, { name: 'old' });
    const { body: other } = await post(FROM, { name: 'other' });

    const { body } = await post(`${FROM}/bulk`, {
      operations: [
        create({ name: 'new' }),
        create({}),
        { op: 'update', id: old.id, version: 1, data: { city: 'Huế' } },
        { op: 'update', id: old.id, version: 9, data: {} },
        { op: 'delete', id: other.id },
        { op: 'restore', id: '00000000-0000-7000-8000-ffffffffffff' },
      ],
    });

    expect(
      (body.results as object[]).map((result) => (result as { status: number }).status),
    ).toEqual([201, 400, 200, 412, 204, 404]);
  });

  it('creates records below those that come before them in the same call', async () => {
    const { post, define } = await withEntities();
    const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' } } };
    await define({ code: 'unit', name: 'U', apiPath: 'units', hierarchical: true, uiSchemaJson });
    const idOf = (at: number) => `0a000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
    const operations = Array.from({ length: 90 }, (_, at) =>
      create({ id: idOf(at), ...(at > 0 && { parentId: idOf(at - 1) }) }),
    );

    const { body } = await post(`${RECORDS}/unit/bulk`, { operations });

    expect(body.results).toEqual(operations.map(() => expect.objectContaining({ status: 201 })));
  });

  it('creates many that point to one record', async () => {
    const { post, define } = await withEntities();
    const team = { type: 'string', 'x-reference': { entity: 'team' } };
    const schema = (properties: object) => ({ type: 'object', properties });
    const name = { type: 'string' };
    await define({ code: 'team', name: 'T', apiPath: 'teams', uiSchemaJson: schema({ name }) });
    await define({ code: 'man', name: 'M', apiPath: 'men', uiSchemaJson: schema({ team }) });
    const { body: target } = await post(`${RECORDS}/team`, {});
    const operations = Array.from({ length: 30 }, () => create({ team: target.id }));

    const { status, body } = await post(`${RECORDS}/man/bulk`, { operations });

    expect(status).toBe(200);
    expect(body.results).toEqual(operations.map(() => expect.objectContaining({ status: 201 })));
  });

  it('demands an id where a record is meant', async () => {
    const { post } = await withEntities();

    const { body } = await post(`${FROM}/bulk`, {
      operations: [create({ name: 'a' }), { op: 'delete' }],
    });

    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/operations/1/id', code: 'REQUIRED' }],
    });
  });

  it('does all or nothing when asked to', async () => {
    const { post, get } = await withEntities();
    const operations = [
      create({ name: 'a', email: 'a@b.cd' }),
      create({ name: 'b', email: 'A@b.cd' }),
    ];

    const refused = await post(`${FROM}/bulk`, { atomic: true, operations });
    const tooMany = await post(`${FROM}/bulk`, {
      atomic: true,
      operations: Array.from({ length: 30 }, () => create({ name: 'a' })),
    });
    const done = await post(`${FROM}/bulk`, {
      atomic: true,
      operations: [create({ name: 'a' }), create({ name: 'b' })],
    });

    expect([refused.status, tooMany.status]).toEqual([409, 422]);
    expect(done.status, done.text).toBe(200);
    expect((await get(FROM)).body).toMatchObject({ totalElements: 2 });
  });

  it.each(['throttling', 'network'] as const)(
    'names what became of each record when rows of a refused one cannot be taken back: %s',
    async (fault) => {
      const { post, get, context, runTask } = await withEntities();
      await post(FROM, { name: 'old', email: 'a@b.cd' });
      const { db } = context;
      const failOnce = db.before('TransactWriteItems', ({ input }) => {
        if (!JSON.stringify(input).includes('#token = :token')) return;
        failOnce();
        db.failNext(fault, { operation: 'TransactWriteItems', times: 500 });
      });

      const { status, body } = await post(`${FROM}/bulk`, {
        operations: [
          create({ name: 'first' }),
          create({ name: 'taken', email: 'a@b.cd' }),
          create({ name: 'third' }),
        ],
      });
      db.stopFailing();
      const isListed = await get(`${FROM}?sort=name`);
      context.clock.advance(600_000);
      await runTask(SWEEP_TASK);

      expect(status).toBe(200);
      expect((body.results as { status: number }[]).map((each) => each.status)).toEqual([
        201, 409, 201,
      ]);
      for (const page of [isListed, await get(`${FROM}?sort=name`)])
        expect(contentOf(page).map(({ name }) => name)).toEqual(['first', 'old', 'third']);
      expect(db.items().filter(({ pk }) => String(pk) === 'DYN_ROW_JOURNAL')).toEqual([]);
    },
  );

  it('creates records for about half of what single calls cost', async () => {
    const { post, context } = await withEntities();
    const body = {
      name: 'Nguyễn',
      status: 'open',
      city: 'Huế',
      amount: 1,
      priority: 2,
      dueDate: '2026-01-01',
    };
    await post(FROM, body);

    const single = await context.db.meter.costOf(() => post(FROM, body));
    const many = await context.db.meter.costOf(() =>
      post(`${FROM}/bulk`, { operations: Array.from({ length: 100 }, () => create(body)) }),
    );

    expect(many.writeUnits / 100).toBeLessThanOrEqual(0.55 * single.writeUnits);
  });

  it.each([
    [{ operations: [] }],
    [{ operations: [{ op: 'drop' }] }],
    [{ operations: Array.from({ length: 501 }, () => create({})) }],
  ])('refuses %j', async (body) => {
    const { post } = await withEntities();

    expect((await post(`${FROM}/bulk`, body)).status).toBe(400);
  });
});
