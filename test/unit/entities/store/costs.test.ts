import { beforeAll, describe, expect, it } from 'vitest';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import type { MeanCost } from '../../../helpers/entity-costs/mean-cost.ts';
import { MeasuredValues } from '../../../helpers/entity-costs/measured-entity.ts';
import { FLAT_CALLS, meanCost, operations } from '../../../helpers/entity-costs/operations.ts';
import { aWorld, type World } from '../../../helpers/entity-costs/world.ts';

const SMALL = 1_000;
const LARGE = 25_000;
/** More than one request reads of an index. */
const VAST = 45_000;
const LOADING_MS = 120_000;

/** Most requests, read units and write units of a call, at any size. */
const CAPS: Readonly<Record<string, readonly [number, number, number]>> = {
  list: [3, 11, 0],
  'page 49': [3, 20.5, 0],
  'last page': [3, 11, 0],
  eq: [3, 11, 0],
  'eq by id': [4, 16, 0],
  unique: [2, 1, 0],
  range: [6, 30, 0],
  'made in a range': [7, 32, 0],
  prefix: [6, 34, 0],
  sort: [3, 11, 0],
  composite: [3, 11, 0],
  'two filters (1 in 15)': [14, 75, 0],
  'two filters (1 in 315)': [20, 90, 0],
  'two filters (1 in 12 600)': [18, 80, 0],
  'counted filter + sort': [10, 70, 0],
  'dense filter + sort': [14, 75, 0],
  'sparse filter + sort': [14, 75, 0],
  'q, one record': [2, 1, 0],
  'q, none': [1, 0.5, 0],
  'q, one in ten': [7, 26, 0],
  'q, every record': [7, 26, 0],
  'list, uncounted': [2, 10.5, 0],
  'page 49, uncounted': [2, 20, 0],
  'eq, uncounted': [2, 10.5, 0],
  'eq by id, uncounted': [2, 10.5, 0],
  'unique, uncounted': [2, 1, 0],
  'range, uncounted': [2, 10.5, 0],
  'made in a range, uncounted': [3, 11, 0],
  'prefix, uncounted': [2, 10.5, 0],
  'sort, uncounted': [2, 10.5, 0],
  'composite, uncounted': [2, 10.5, 0],
  'two filters (1 in 15), uncounted': [8, 16, 0],
  'two filters (1 in 315), uncounted': [14, 40, 0],
  'two filters (1 in 12 600), uncounted': [15, 75, 0],
  'counted filter + sort, uncounted': [10, 70, 0],
  'dense filter + sort, uncounted': [12, 60, 0],
  'sparse filter + sort, uncounted': [12, 70, 0],
  'q, one record, uncounted': [2, 1, 0],
  'q, none, uncounted': [1, 0.5, 0],
  'q, one in ten, uncounted': [5, 12, 0],
  'q, every record, uncounted': [5, 12, 0],
  detail: [1, 1, 0],
  'count of a facet': [1, 0.5, 0],
  'count of a range': [2, 6, 0],
  create: [1, 0, 34],
  'update, plain field': [2, 1, 2],
  'update, indexed field': [2, 1, 6],
  delete: [2, 2, 36],
};

/** The world of a size, loaded once: what is measured changes a few of its records. */
const worldOf = (size: number): Promise<World> => {
  const world = worlds.get(size) ?? aWorld(size);
  worlds.set(size, world);
  return world;
};
const worlds = new Map<number, Promise<World>>();

const unitsOf = ({ readUnits, writeUnits }: MeanCost): number => readUnits + writeUnits;

describe('what calls cost', () => {
  const costs = new Map<number, ReadonlyMap<string, MeanCost>>();
  const costOf = (size: number, name: string): MeanCost => {
    const cost = costs.get(size)?.get(name);
    if (!cost) throw new Error(`${name} was not measured at ${size}`);
    return cost;
  };

  beforeAll(async () => {
    for (const size of [SMALL, LARGE]) {
      const world = await worldOf(size);
      const measured = new Map<string, MeanCost>();
      for (const operation of operations(world))
        measured.set(operation.name, await meanCost(world, operation));
      costs.set(size, measured);
    }
  }, LOADING_MS);

  it('names a cap for each call', () => {
    expect([...(costs.get(SMALL)?.keys() ?? [])].sort()).toEqual(Object.keys(CAPS).sort());
  });

  it.each(Object.entries(CAPS))('%s stays below its cap', (name, [requests, reads, writes]) => {
    for (const size of [SMALL, LARGE]) {
      const cost = costOf(size, name);
      expect(cost.requests, `${size} records`).toBeLessThanOrEqual(requests);
      expect(cost.readUnits, `${size} records`).toBeLessThanOrEqual(reads);
      expect(cost.writeUnits, `${size} records`).toBeLessThanOrEqual(writes);
    }
  });

  it.each(FLAT_CALLS)('%s does not grow', (name) => {
    const [before, after] = [costOf(SMALL, name), costOf(LARGE, name)];

    expect(unitsOf(after) / unitsOf(before)).toBeLessThanOrEqual(1.05);
    expect(after.requests).toBe(before.requests);
  });

  it('two filters grow little', () => {
    const name = 'two filters (1 in 15), uncounted';

    expect(unitsOf(costOf(LARGE, name)) / unitsOf(costOf(SMALL, name))).toBeLessThanOrEqual(2.5);
  });
});

describe('what a write costs', () => {
  let world: World;
  beforeAll(async () => {
    world = await aWorld(40);
  }, LOADING_MS);

  /** 2 for each KiB of the record, for each row and the one that lists it, for the counters and for each claim. */
  const formula = (kibibytes: number, rows: number, claims: number): number =>
    2 * kibibytes + 2 * (rows + 1) + 2 + 2 * claims;

  it.each([
    ['nine rows, a pair, three words and a claim', {}, formula(1, 9 + 1 + 3, 1)],
    ['a record of more than 2 KiB', { notes: 'x'.repeat(2_100) }, formula(3, 13, 1)],
    ['no unique value', { code: null }, formula(1, 13, 0)],
    ['a name of one word', { name: 'An' }, formula(1, 11, 1)],
  ])('%s', async (_what, change, units) => {
    const { context, services, model } = world;
    const body = { ...new MeasuredValues(9).record(1_000 + units), ...change };

    const cost = await context.db.meter.costOf(() =>
      services.recordService.create(model, body, systemPrincipal),
    );

    expect(cost).toMatchObject({ readUnits: 0, writeUnits: units });
    expect(cost.requests).toHaveLength(1);
  });

  it('is about half in bulk', async () => {
    const { context, services, model } = world;
    const values = new MeasuredValues(10);
    const bodies = Array.from({ length: 100 }, (_, index) => ({
      index,
      body: values.record(5_000 + index),
    }));

    const cost = await context.db.meter.costOf(() =>
      services.bulkService.createMany(model, bodies, systemPrincipal),
    );

    expect(cost.writeUnits / 100 / formula(1, 13, 1)).toBeLessThanOrEqual(0.55);
    expect(cost.requests.length / 100).toBeLessThanOrEqual(0.75);
  });
});

describe('a call on many records', () => {
  let world: World;
  beforeAll(async () => {
    world = await worldOf(VAST);
  }, LOADING_MS);

  const sumOf = (requests: readonly string[], operation: string): number =>
    requests
      .filter((request) => request.startsWith(operation))
      .reduce((sum, request) => sum + Number(request.split(' ')[1]), 0);
  const list = (parameters: Readonly<Record<string, string>>, more: object = {}) =>
    world.services.queryService.list(
      world.model,
      { size: 20, count: 'none', ...more, parameters },
      systemPrincipal,
    );

  it.each([
    { 'name[contains]': 'zzz' },
    { 'name[endsWith]': 'zzz' },
    { 'name[contains]': 'zzz', sort: 'name' },
    { 'name[contains]': 'zzz', sort: 'amount' },
    { 'name[ne]': 'x', 'city[nin]': Array.from({ length: 63 }, (_, at) => `Tỉnh ${at}`).join() },
    { filter: '{"not":{"active":{"exists":true}}}' },
    { status: 'open', 'amount[gt]': '2000000', sort: 'name' },
    { 'amount[gte]': '0', 'name[contains]': 'zzz' },
    { status: 'open', 'name[contains]': 'zzz' },
    { q: 'van zzz' },
    { sort: 'city,name', 'name[contains]': 'zzz' },
    { filter: '{"or":[{"owner":"nobody@example.com"},{"name":{"contains":"zzz"}}]}' },
  ] as Record<string, string>[])('reads no partition to its end: %j', async (parameters) => {
    const { requests } = await world.context.db.meter.costOf(() =>
      list(parameters).catch((error: Error) => expect(error.message).toContain('order')),
    );

    expect(sumOf(requests, 'Query')).toBeLessThan(VAST);
    // The limit of one request, and the group of equal values that it may end in.
    expect(sumOf(requests, 'BatchGetItem')).toBeLessThanOrEqual(2_000 + 1_900);
  });

  it.each([{ 'name[contains]': 'zzz' }, { 'name[ne]': 'x' }, { 'amount[gte]': '0' }] as Record<
    string,
    string
  >[])('counts without a partition to its end: %j', async (parameters) => {
    const { queryService } = world.services;
    const { requests } = await world.context.db.meter.costOf(() =>
      queryService.count(world.model, parameters, systemPrincipal),
    );

    expect(sumOf(requests, 'Query')).toBeLessThan(VAST);
  });

  it(
    'goes on where the work of one request ended',
    async () => {
      const wanted = world.ids[3] ?? '';
      const { header } = await world.services.recordReader.get(
        world.model,
        wanted,
        systemPrincipal,
      );
      const part = String(header.values.name).slice(-6);
      const seen: string[] = [];
      let cursor: string | undefined;
      let calls = 0;
      do {
        const { page } = await list({ 'name[contains]': part }, { cursor });
        seen.push(...page.content.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
        calls += 1;
      } while (cursor && calls < 40);

      expect(seen).toContain(wanted);
      expect(cursor).toBeUndefined();
    },
    LOADING_MS,
  );

  it('counts to 1 000 by default, no more behind a cursor, and all when asked to', async () => {
    const filter = { 'amount[gte]': '0' };
    const parameters = { ...filter, sort: 'amount' };
    const { queryService } = world.services;
    const call = (more: object) =>
      queryService.list(world.model, { size: 20, ...more, parameters }, systemPrincipal);
    const { page: first } = await call({});
    const cursor = first.nextCursor ?? undefined;
    let second = first;
    const { requests } = await world.context.db.meter.costOf(async () => {
      ({ page: second } = await call({ cursor }));
    });
    const { page: exact } = await call({ cursor, count: 'exact' });
    const count = await queryService.count(world.model, filter, systemPrincipal);

    expect(first).toMatchObject({ totalElements: 1_000, totalRelation: 'gte' });
    expect(second).toMatchObject({ totalElements: null, totalRelation: 'unknown' });
    expect(requests).toHaveLength(2);
    expect(exact).toMatchObject({ totalElements: VAST, totalRelation: 'eq' });
    expect(count).toEqual({ count: 1_000, relation: 'gte' });
  });

  it('is charged for what the client sends, every page of a query included', async () => {
    const { context } = world;
    const sent: string[] = [];
    const hooks = ['Query', 'BatchGetItem', 'GetItem'].map((operation) =>
      context.db.before(operation, () => void sent.push(operation)),
    );

    const { requests } = await context.db.meter.costOf(() => list({ sort: 'name' }, { page: 450 }));
    for (const takeOff of hooks) takeOff();

    expect(requests.map((request) => request.split(' ')[0])).toEqual(sent);
    expect(sent.filter((operation) => operation === 'Query')).toHaveLength(3);
    expect(sumOf(requests, 'Query')).toBe(450 * 20 + 21);
  });
});
