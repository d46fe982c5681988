import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readFilter } from '../../../../functions/entities/domain/query/list-query.ts';
import { parseOrder } from '../../../../functions/entities/domain/query/order.ts';
import type { FollowLimits } from '../../../../functions/entities/domain/search/long/follow.ts';
import { createEntitiesModule } from '../../../../functions/entities/index.ts';
import { RecordWalk } from '../../../../functions/entities/queries/record-walk.ts';
import { OpenWork } from '../../../../functions/entities/store/open-work.ts';
import { RecordRepository } from '../../../../functions/entities/store/record-repository.ts';
import { FieldCipher } from '../../../../functions/entities/store/values/field-cipher.ts';
import { LargeValueStore } from '../../../../functions/entities/store/values/large-value-store.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import {
  findsWords,
  fits,
  type OracleRecord,
  sortBy,
} from '../../../helpers/entity-queries/oracle.ts';
import { aQuery, aRecord } from '../../../helpers/entity-queries/random-queries.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { aContext } from '../../../helpers/world/a-context.ts';
import { customerSchema } from '../entities-api.ts';

const noFiles = {} as ConstructorParameters<typeof LargeValueStore>[1];
const noCipher = new FieldCipher({} as ConstructorParameters<typeof FieldCipher>[0]);

/** An entity of records and a walk over them. */
async function aWorld(bodies: Iterable<object>, limits?: FollowLimits, options: object = {}) {
  const context = aContext({ module: 'entities' });
  const { services } = createEntitiesModule(context);
  const { email: _email, ...properties } = customerSchema.properties;
  await services.definitionService.create(
    { code: 'c', name: 'C', uiSchemaJson: { ...customerSchema, properties }, options },
    systemPrincipal,
  );
  const given = [...bodies] as OracleRecord[];
  const ids = await loadRecords(context, 'c', given);
  const records = ids.map((id, at): OracleRecord => ({ ...given[at], id }));
  const repository = new RecordRepository(context);
  const openWork = new OpenWork(context);
  const largeValues = new LargeValueStore(repository, noFiles, openWork, noCipher);
  const walk = new RecordWalk({ repository, largeValues }, limits);
  const model = await services.catalog.load('c');
  const walked = (parameters: Readonly<Record<string, string>>) => {
    const filter = readFilter(parameters, model, ['filter', 'q']);
    return { model, filter, fields: [] };
  };
  const follow = (
    parameters: Readonly<Record<string, string>>,
    after?: string,
    isLate = () => false,
  ) => walk.follow(walked(parameters), { after, isLate });
  const inOrder = (
    parameters: Readonly<Record<string, string>>,
    sort: string,
    after?: string,
    isLate = () => false,
  ) => {
    const order = parseOrder(sort, model);
    return walk.inOrder(walked(parameters), order, async () => order, { after, isLate });
  };
  return { context, records, follow, inOrder };
}

async function idsOf(stretches: ReturnType<Awaited<ReturnType<typeof aWorld>>['follow']>) {
  const ids: string[] = [];
  for await (const { records } of stretches) ids.push(...records.map(({ id }) => id));
  return ids;
}

describe.each([
  { limits: undefined, options: {} },
  { limits: { rows: 7, ids: 30, scanned: 10_000 }, options: {} },
  { limits: { rows: 7, ids: 30, scanned: 60 }, options: { shards: 4 } },
])('a walk over records with limits $limits', ({ limits, options }) => {
  let world: Awaited<ReturnType<typeof aWorld>>;
  beforeAll(async () => {
    world = await aWorld(fc.sample(aRecord, { numRuns: 260, seed: 11 }), limits, options);
  }, 60_000);

  it('finds what looking at every record finds, lowest id first, from any place on', async () => {
    const { records, follow } = world;
    const ids = records.map(({ id }) => id).sort();
    const place = fc.option(fc.constantFrom(...ids), { nil: undefined, freq: 2 });
    await fc.assert(
      fc.asyncProperty(aQuery, place, fc.boolean(), async ({ filter, q }, after, isLate) => {
        const fitting = new Set(
          records
            .filter((record) => fits(record, filter) && (q === undefined || findsWords(record, q)))
            .map(({ id }) => id),
        );

        const found = await idsOf(
          follow({ filter: JSON.stringify(filter), ...(q && { q }) }, after, () => isLate),
        );

        expect(found).toEqual(ids.filter((id) => fitting.has(id) && (!after || id > after)));
      }),
      { numRuns: propertyRuns(50), seed: 5 },
    );
  }, 120_000);

  it('finds them in an order, from each place on that it has told of', async () => {
    const { records, inOrder } = world;
    await fc.assert(
      fc.asyncProperty(aQuery, fc.boolean(), fc.nat(), async ({ filter, q, sort }, isLate, cut) => {
        const fitting = records.filter(
          (record) => fits(record, filter) && (q === undefined || findsWords(record, q)),
        );
        const wanted = sortBy(fitting, sort).map(({ id }) => id);
        const parameters = { filter: JSON.stringify(filter), ...(q && { q }) };
        const open = (after?: string) =>
          inOrder(parameters, sort ?? '-createdAt', after, () => isLate);

        const stretches: { ids: string[]; after: string }[] = [];
        for await (const { records: some, after } of open()) {
          stretches.push({ ids: some.map(({ id }) => id), after });
        }
        const kept = stretches.slice(0, cut % (stretches.length + 1));
        const before = kept.flatMap(({ ids }) => ids);
        const rest = kept.length > 0 ? await idsOf(open(kept.at(-1)?.after)) : [];

        expect(stretches.flatMap(({ ids }) => ids)).toEqual(wanted);
        if (kept.length > 0) expect([...before, ...rest]).toEqual(wanted);
      }),
      { numRuns: propertyRuns(60), seed: 6 },
    );
  }, 120_000);
});

describe('the cost of a walk', () => {
  const cities = ['Huế', 'Vinh', 'Hà Nội', 'Đà Nẵng'];
  const aCustomer = (at: number) => ({
    name: `n${at}`,
    city: cities[at % 4],
    amount: (at * 7_919) % 1_000,
    priority: at % 10,
  });
  const customers = (count: number) => Array.from({ length: count }, (_, at) => aCustomer(at));
  /** Units of a record and of a row, both read strongly consistent. */
  const RECORD = 1;
  const ROW = 0.025;

  const COUNT = 20_000;
  let world: Awaited<ReturnType<typeof aWorld>>;
  beforeAll(async () => {
    world = await aWorld(customers(COUNT));
  }, 120_000);

  it.each([
    [{}, 20_000, 20_000],
    [{ city: 'Huế' }, 5_000, 5_000],
    [{ 'amount[gte]': '500' }, 10_000, 10_000],
    [{ 'amount[gte]': '990' }, 200, 200],
    [{ 'amount[gte]': '500', 'priority[lt]': '2' }, 2_000, 14_000],
    [{ 'name[contains]': '77' }, 560, 20_000],
    [{ city: 'Huế', 'amount[gte]': '500' }, 2_500, 15_000],
  ])(
    '%j is at most 1.5 times that of reading its rows and records once',
    async (parameters, records, rows) => {
      const { context, follow } = world;
      let found = 0;

      const cost = await context.db.meter.costOf(async () => {
        found = (await idsOf(follow(parameters))).length;
      });

      const once = found * RECORD + rows * ROW;
      expect(found).toBeGreaterThanOrEqual(0.99 * records);
      expect(cost.readUnits).toBeLessThanOrEqual(1.5 * once + 10);
      expect(cost.requests.length).toBeLessThanOrEqual(1.5 * (found / 100 + rows / 1_000) + 10);
    },
    60_000,
  );

  it.each([
    [{}, 'amount', 20_000, 20_000],
    [{}, '-createdAt', 20_000, 20_000],
    [{ city: 'Huế' }, '-amount', 5_000, 25_000],
    [{ 'amount[gte]': '500' }, 'amount', 10_000, 10_000],
    [{ 'amount[gte]': '500', 'priority[lt]': '2' }, 'amount', 2_000, 24_000],
  ])(
    '%j in the order of %s is at most 1.5 times that of reading its rows and records once',
    async (parameters, sort, records, rows) => {
      const { context, inOrder } = world;
      let found = 0;

      const cost = await context.db.meter.costOf(async () => {
        found = (await idsOf(inOrder(parameters, sort))).length;
      });

      expect(found).toBeGreaterThanOrEqual(0.99 * records);
      expect(cost.readUnits).toBeLessThanOrEqual(1.5 * (found * RECORD + rows * ROW) + 10);
    },
    60_000,
  );

  it('is twice that of the records where few of them are sorted in memory', async () => {
    const { context, inOrder } = world;

    const few = await context.db.meter.costOf(async () => {
      expect(await idsOf(inOrder({ 'amount[gte]': '990' }, 'city,-name'))).toHaveLength(200);
    });

    expect(few.readUnits).toBeLessThanOrEqual(2 * 200 * RECORD + 200 * ROW + 10);
  }, 60_000);
});
