import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEntitiesModule } from '../../../../../functions/entities/index.ts';
import { Problem } from '../../../../../shared/problems/problem.ts';
import { systemPrincipal } from '../../../../../shared/security/principal.ts';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import {
  fits,
  type OracleFilter,
  type OracleRecord,
  sortBy,
} from '../../../../helpers/entity-queries/oracle.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';
import { seededRandom } from '../../../../helpers/seeded-random.ts';
import { aContext } from '../../../../helpers/world/a-context.ts';

const text = { type: 'string' };
const STATES = ['open', 'wip', 'closed'];
const properties = {
  status: { ...text, enum: STATES },
  city: text,
  name: text,
  amount: { type: 'integer' },
  priority: { type: 'integer' },
};
const FIELDS = ['status', 'city', 'name', 'amount', 'priority', 'createdAt', 'updatedAt'] as const;

interface RandomEntity {
  readonly count: number;
  readonly shards: number;
  readonly indexes: readonly (readonly string[])[];
  /** By field: number of values, how unequal their parts are, and which part of the records has one. */
  readonly spread: readonly (readonly [values: number, skew: number, present: number])[];
  readonly seed: number;
}

const aSpread = fc.tuple(
  fc.constantFrom(1, 2, 3, 10, 60, 3_000),
  fc.constantFrom(1, 1, 3),
  fc.constantFrom(1, 1, 1, 0.7),
);
const anEntity = (count: number): fc.Arbitrary<RandomEntity> =>
  fc.record({
    count: fc.constant(count),
    shards: fc.constantFrom(1, 1, 3),
    indexes: fc.subarray([
      ['status', 'amount'],
      ['city', 'priority'],
      ['status', 'city', 'name'],
    ]),
    spread: fc.array(aSpread, { minLength: 5, maxLength: 5 }),
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
  });

function* recordsOf({ count, spread, seed }: RandomEntity) {
  const next = seededRandom(seed);
  const pick = (at: number): number | undefined => {
    const [values, skew, present] = spread[at] ?? [1, 1, 1];
    const value = Math.floor(values * next() ** skew);
    return next() <= present ? value : undefined;
  };
  for (let at = 0; at < count; at += 1) {
    const [state, city, name, amount, priority] = [0, 1, 2, 3, 4].map(pick);
    const body = {
      status: state === undefined ? undefined : STATES[state % STATES.length],
      city: city === undefined ? undefined : `c${city}`,
      name: name === undefined ? undefined : `name ${name}`,
      ...{ amount, priority },
    };
    yield Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  }
}

async function aWorld(entity: RandomEntity) {
  let policy: OracleFilter = {};
  const hasPermission = () => ({ allowed: true, rowFilter: policy });
  const context = aContext({
    module: 'entities',
    host: { permissionEvaluator: { hasPermission } },
  });
  const environments = [0, 1].map(() => createEntitiesModule(context).services);
  const [first] = environments;
  if (!first) throw new Error('There is no environment');
  const { indexes, shards } = entity;
  const uiSchemaJson = { type: 'object', properties, 'x-indexes': indexes };
  await first.definitionService.create(
    { code: 'c', name: 'C', uiSchemaJson, options: { shards }, requirePermission: true },
    systemPrincipal,
  );
  const records: OracleRecord[] = [];
  const bodies = function* () {
    for (const body of recordsOf(entity)) {
      if (records.length % 50 === 0) context.clock.advance(1_000);
      records.push({ ...body, id: '', updatedAt: new Date(context.clock.now()).toISOString() });
      yield body;
    }
  };
  const ids = await loadRecords(context, 'c', bodies());
  const model = await first.catalog.load('c');
  return {
    records: records.map((record, at): OracleRecord => ({ ...record, id: ids[at] ?? '' })),
    context,
    async page(environment: number, call: Call, cursor: string | undefined) {
      policy = call.policy;
      const parameters = { filter: JSON.stringify(call.filter), sort: call.sort };
      const { page } = await (environments[environment] ?? first).queryService.list(
        model,
        { size: call.size, count: 'none' as const, cursor, parameters },
        systemPrincipal,
      );
      return { ids: page.content.map(({ id }) => id), next: page.nextCursor ?? undefined };
    },
  };
}

interface Call {
  readonly filter: OracleFilter;
  readonly policy: OracleFilter;
  readonly sort: string;
  readonly size: number;
}

const aTest: fc.Arbitrary<OracleFilter> = fc.oneof(
  fc.constantFrom(...STATES).map((status) => ({ status: { eq: status } })),
  fc.subarray(['c0', 'c1', 'c2', 'c7'], { minLength: 1 }).map((city) => ({ city: { in: city } })),
  fc.integer({ min: 0, max: 3 }).map((city) => ({ city: { ne: `c${city}` } })),
  fc.integer({ min: 0, max: 9 }).map((name) => ({ name: { contains: `e ${name}` } })),
  fc.constantFrom(0, 1, 2, 30, 2_000).map((amount) => ({ amount: { gte: amount } })),
  fc.constantFrom(1, 2, 5, 50, 1_000).map((amount) => ({ amount: { lt: amount } })),
  fc.integer({ min: 0, max: 3 }).map((priority) => ({ priority: { eq: priority } })),
);
const aFilter = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: aTest },
  { weight: 1, arbitrary: fc.array(aTest, { minLength: 2, maxLength: 3 }).map((and) => ({ and })) },
);
const aSort = fc
  .uniqueArray(fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...FIELDS)), {
    ...{ minLength: 1, maxLength: 3 },
    selector: ([, field]) => field,
  })
  .map((keys) => keys.map((key) => key.join('')).join(','));
const aCall: fc.Arbitrary<Call> = fc.record({
  filter: aFilter,
  policy: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: aTest }),
  sort: aSort,
  size: fc.constantFrom(100, 200, 200),
});

type World = Awaited<ReturnType<typeof aWorld>>;

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/**
 * The ids of a list, first to last; `undefined` where its first page is refused. Pages are answered by two environments, and
 * some by a table that takes half a second for each request.
 */
async function followed(world: World, call: Call, next: () => number) {
  const { db, clock } = world.context;
  const ids: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const passes = next() < 0.2 ? 500 : 0;
    const hooks = ['Query', 'BatchGetItem'].map((operation) =>
      db.before(operation, () => clock.advance(passes)),
    );
    const found = await world.page(next() < 0.2 ? 1 : 0, call, cursor).catch(asProblem);
    for (const takeOff of hooks) takeOff();
    if (found instanceof Problem) {
      // Who sorts without an index is asked to try again where the table was slow.
      if (found.status === 503 && passes > 0) continue;
      expect(found).toMatchObject({ code: 'SORT_NEEDS_INDEX' });
      expect(cursor).toBeUndefined();
      return undefined;
    }
    ids.push(...found.ids);
    cursor = found.next;
    if (!cursor) return ids;
  }
}

describe('a list of an entity of any kind', () => {
  it.each([{ count: 2_600 }, { count: 5_000 }])(
    'of $count records comes to its end, each record once and in order, or is refused at once',
    async ({ count }) => {
      const calls = fc.array(aCall, { minLength: 8, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(anEntity(count), calls, async (entity, lists) => {
          const world = await aWorld(entity);
          const next = seededRandom(entity.seed);
          for (const call of lists) {
            const ids = await followed(world, call, next);

            const wanted = world.records.filter(
              (record) => fits(record, call.filter) && fits(record, call.policy),
            );
            if (!ids) expect(call.sort).toContain('updatedAt');
            else expect(ids).toEqual(sortBy(wanted, call.sort).map(({ id }) => id));
          }
        }),
        { numRuns: propertyRuns(1) },
      );
    },
    propertyRuns(60_000),
  );
});
