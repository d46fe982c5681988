import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import {
  aManyKeysWorld,
  conditionOf,
  type ManyKeys,
} from '../../../../helpers/entity-costs/many-keys.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';

type Answer = Awaited<ReturnType<ManyKeys['get']>>;

const numbersOf = (answer: Answer) => contentOf(answer).map(({ number }) => number);

/** Most requests and units of a page of 20 orders: with its total, and behind a cursor that another environment answers. */
const CAPS = { first: 40, behind: 25, units: 300 };

describe.each([{ part: 500 }, { part: 50 }, { part: 5 }, { part: 1 }])(
  'a condition that 200 of 1 000 customers and one in $part orders meet',
  ({ part }) => {
    let world: ManyKeys;
    const all = (order: string, isOdd: boolean): number[] => {
      const numbers = Array.from(world.ids.keys())
        .filter((number) => world.meets(number, 200) && (!isOdd || number % 2 === 1))
        .reverse();
      if (order === '') return numbers;
      return numbers.sort(
        (one, other) => world.amountOf(one) - world.amountOf(other) || one - other,
      );
    };

    beforeAll(async () => {
      world = await aManyKeysWorld(part);
    }, 60_000);

    it.each([
      ['', false],
      ['', true],
      ['&sort=amount', false],
      ['&sort=amount', true],
    ])(
      'takes no request for each of them: %s, with another condition: %s',
      async (order, isOdd) => {
        const path = `orders?${conditionOf(200)}${order}${isOdd ? '&half=odd' : ''}`;
        const { meter } = world.context.db;
        const pages: Answer[] = [];
        const page = async (environment: number) => {
          const cursor = pages.at(-1)?.body.nextCursor;
          const more = cursor ? `&cursor=${encodeURIComponent(String(cursor))}` : '';
          return meter.costOf(async () => {
            pages.push(await world.get(path + more, environment));
          });
        };

        const first = await page(0);
        const second = pages[0]?.body.nextCursor ? await page(0) : undefined;
        const third = pages[1]?.body.nextCursor ? await page(1) : undefined;

        const expected = all(order, isOdd);
        expect(pages.flatMap(numbersOf)).toEqual(expected.slice(0, 20 * pages.length));
        const { totalElements, totalRelation } = pages[0]?.body ?? {};
        if (totalRelation === 'eq') expect(totalElements).toBe(expected.length);
        else expect(expected.length).toBeGreaterThanOrEqual(1_000);
        expect(first.requests.length).toBeLessThanOrEqual(CAPS.first);
        expect(first.readUnits).toBeLessThanOrEqual(CAPS.units);
        for (const behind of [second, third]) {
          expect(behind?.requests.length ?? 0).toBeLessThanOrEqual(CAPS.behind);
          expect(behind?.readUnits ?? 0).toBeLessThanOrEqual(CAPS.units);
        }
      },
    );

    it('is counted and added up without a request for each of them', async () => {
      const { meter } = world.context.db;
      const expected = all('', false);
      let count: Answer | undefined;
      let sum: Answer | undefined;

      const counted = await meter.costOf(async () => {
        count = await world.get(`orders/count?${conditionOf(200)}&count=exact`);
      });
      const added = await meter.costOf(async () => {
        sum = await world.get(`orders/aggregate?${conditionOf(200)}&sum=number&count=exact`);
      });

      expect(count?.body).toEqual({ count: expected.length, relation: 'eq' });
      const total = expected.reduce((one, other) => one + other, 0);
      expect(sum?.body.groups).toMatchObject([
        { count: expected.length, sum: { number: `${total}` } },
      ]);
      expect(counted.requests.length).toBeLessThanOrEqual(25);
      expect(added.requests.length).toBeLessThanOrEqual(40 + expected.length / 20);
    });
  },
);

describe('a condition that 200 of 3 600 customers and one in 50 of 36 000 orders meet', () => {
  it('is looked up before another one that half of the orders meet, which a request cannot read', async () => {
    const world = await aManyKeysWorld(50, { orders: 36_000, customers: 3_600 });
    const path = `orders?${conditionOf(200)}&half=odd&sort=amount&count=none`;
    let page: Answer | undefined;

    const cost = await world.context.db.meter.costOf(async () => {
      page = await world.get(path);
    });

    const expected = Array.from(world.ids.keys())
      .filter((number) => world.meets(number, 200) && number % 2 === 1)
      .sort((one, other) => world.amountOf(one) - world.amountOf(other) || one - other);
    expect(page && numbersOf(page)).toEqual(expected.slice(0, 20));
    expect(cost.readUnits).toBeLessThanOrEqual(360);
  }, 60_000);
});

const ORDERS = `${RECORDS}/orders`;
const CUSTOMERS = 120;
const toCustomer = { type: 'string', 'x-reference': { entity: 'customer', onDelete: 'none' } };
const customer = {
  ...{ code: 'customer', name: 'Customer', apiPath: 'customers' },
  uiSchemaJson: {
    type: 'object',
    properties: { rank: { type: 'integer' }, name: { type: 'string' } },
  },
};
const order = {
  ...{ code: 'order', name: 'Order', apiPath: 'orders' },
  uiSchemaJson: {
    type: 'object',
    properties: {
      number: { type: 'integer' },
      amount: { type: 'integer' },
      kind: { type: 'string', enum: ['a', 'b', 'c'] },
      name: { type: 'string' },
      customer: toCustomer,
      viewers: { type: 'array', items: toCustomer },
    },
  },
};

interface Order {
  number: number;
  amount: number;
  kind: string;
  /** Ranks of customers. */
  customer: number;
  viewers: readonly number[];
}

const aCustomer = fc.oneof(
  fc.nat(CUSTOMERS - 1),
  fc.nat(9).map((at) => at * 3),
);
const anOrder = fc.record({
  amount: fc.nat(50),
  kind: fc.constantFrom('a', 'b', 'c'),
  customer: aCustomer,
  viewers: fc.uniqueArray(aCustomer, { maxLength: 3 }),
});

/** Conditions that many customers meet, alone, together and with others. */
const ranks = (least: number) =>
  fc
    .tuple(fc.nat(CUSTOMERS - 1 - least), fc.integer({ min: least, max: CUSTOMERS }))
    .map(([from, length]) => [from, from + length] as const);
const aSpan = fc.oneof(ranks(33), ranks(3));
const aCondition = fc.record({
  customer: aSpan,
  viewers: fc.option(aSpan, { nil: undefined }),
  kind: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  join: fc.constantFrom('and' as const, 'and' as const, 'or' as const, 'not' as const),
});
const aStep = fc.record({
  environment: fc.constantFrom(0, 0, 1),
  change: fc.option(fc.record({ at: fc.nat(1_000_000), customer: aCustomer }), { nil: undefined }),
});
type Condition = typeof aCondition extends fc.Arbitrary<infer T> ? T : never;

function filterOf({ customer: [from, to], viewers, kind, join }: Condition) {
  const parts = [
    { 'customer.rank': { gte: from, lt: to } },
    ...(viewers ? [{ 'viewers.rank': { gte: viewers[0], lt: viewers[1] } }] : []),
    ...(kind ? [{ kind }] : []),
  ];
  if (join === 'not') return { and: parts.slice(1), not: parts[0] };
  return { [join]: parts };
}

function fits({ customer: [from, to], viewers, kind, join }: Condition, given: Order): boolean {
  const within = (at: number, [low, high]: readonly [number, number]) => at >= low && at < high;
  const first = within(given.customer, [from, to]);
  const others = [
    ...(viewers ? [given.viewers.some((at) => within(at, viewers))] : []),
    ...(kind ? [given.kind === kind] : []),
  ];
  if (join === 'or') return first || others.includes(true);
  return first === (join === 'and') && !others.includes(false);
}

const sorts: Readonly<Record<string, (one: Order, other: Order) => number>> = {
  '': (one, other) => other.number - one.number,
  id: (one, other) => one.number - other.number,
  amount: (one, other) => one.amount - other.amount || one.number - other.number,
  '-amount': (one, other) => other.amount - one.amount || other.number - one.number,
  'amount,-number': (one, other) => one.amount - other.amount || other.number - one.number,
};

async function aShop(count: number, seed: number, options: object) {
  const first = anEntitiesApi();
  await first.define(customer);
  const defined = await first.define({ ...order, options });
  expect(defined.status, defined.text).toBe(201);
  const customers = await loadRecords(
    first.context,
    'customer',
    Array.from({ length: CUSTOMERS }, (_, rank) => ({ rank, name: `c${rank}` })),
  );
  const orders = fc
    .sample(anOrder, { numRuns: count, seed })
    .map((given, number): Order => ({ ...given, number }));
  const id = (rank: number): string => customers[rank] ?? '';
  const ids = await loadRecords(
    first.context,
    'order',
    orders.map((given) => ({
      ...given,
      ...{ customer: id(given.customer), viewers: given.viewers.map(id) },
    })),
  );
  const other = anEntitiesApi({ besides: first.context });
  return { apis: [first, other] as const, orders, ids, id };
}

type Shop = Awaited<ReturnType<typeof aShop>>;

const pageOf = async (
  { apis }: Shop,
  environment: number,
  parameters: Record<string, string>,
  cursor?: unknown,
): Promise<Answer> => {
  const query = new URLSearchParams({
    ...parameters,
    ...(cursor ? { cursor: String(cursor) } : {}),
  });
  const answer = await apis[environment === 0 ? 0 : 1].get(`${ORDERS}?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

const parametersOf = (condition: Condition, sort: string, size: number) => ({
  ...{ filter: JSON.stringify(filterOf(condition)), size: String(size) },
  ...(sort && { sort }),
});

/** Whether an order comes behind the place that a list has reached. */
const isBehind = (order: Order, place: Order | undefined, sort: string): boolean =>
  place !== undefined && (sorts[sort]?.(order, place) ?? 0) > 0;

function expectTotal(page: Answer | undefined, expected: number): void {
  const { totalElements, totalRelation } = page?.body ?? {};
  if (totalRelation === 'eq') expect(totalElements).toBe(expected);
  else expect(Number(totalElements)).toBeLessThanOrEqual(expected);
}

/** Lets an order refer to another customer. @returns the order */
async function changeOf(
  shop: Shop,
  change: { readonly at: number; readonly customer: number } | undefined,
): Promise<Order | undefined> {
  const changed = change && shop.orders[change.at % shop.orders.length];
  if (!changed) return undefined;
  changed.customer = change.customer;
  const { customer: rank, viewers } = changed;
  const data = { ...changed, customer: shop.id(rank), viewers: viewers.map(shop.id) };
  const path = `${ORDERS}/${shop.ids[changed.number]}`;
  expect((await shop.apis[0].put(path, data)).status).toBe(200);
  return changed;
}

/** Follows a list of up to about 100 orders while some change their customer. */
async function followed(
  shop: Shop,
  condition: Condition,
  sort: string,
  ways: Iterable<typeof aStep extends fc.Arbitrary<infer T> ? T : never>,
) {
  const parameters = { ...parametersOf(condition, sort, 25), count: 'none' };
  const stayed = new Set(shop.orders.filter((each) => fits(condition, each)));
  const everFitted = new Set(stayed);
  const found: Order[] = [];
  let cursor: unknown;
  for (const { environment, change } of ways) {
    const page = await pageOf(shop, environment, parameters, cursor);
    found.push(...numbersOf(page).flatMap((at) => shop.orders[Number(at)] ?? []));
    cursor = page.body.nextCursor;
    if (!cursor || found.length >= 100) break;
    const changed = await changeOf(shop, change);
    if (changed && fits(condition, changed)) everFitted.add(changed);
    else if (changed) stayed.delete(changed);
  }
  const ahead = cursor ? found.at(-1) : undefined;
  return {
    found,
    /** Those that fitted all the time, and were not shown. */
    missing: [...stayed].filter((each) => !found.includes(each) && !isBehind(each, ahead, sort)),
    /** Those that were shown and never fitted. */
    strangers: found.filter((each) => !everFitted.has(each)),
  };
}

describe.each([
  { count: 900, seed: 11, runs: 25, options: {} },
  { count: 2_600, seed: 12, runs: 10, options: {} },
  { count: 900, seed: 13, runs: 15, options: { shards: 4 } },
])(
  'orders of many customers, $count of them (seed $seed)',
  { timeout: propertyRuns(120_000) },
  ({ count, seed, runs, options }) => {
    let shop: Shop;

    beforeAll(async () => {
      shop = await aShop(count, seed, options);
    }, 60_000);

    const sortNames = fc.constantFrom(...Object.keys(sorts));

    it('are those that looking at every record finds, forward, backward and counted', async () => {
      const steps = fc.infiniteStream(aStep);
      await fc.assert(
        fc.asyncProperty(aCondition, sortNames, steps, async (condition, sort, ways) => {
          const parameters = parametersOf(condition, sort, 40);
          const expected = shop.orders.filter((each) => fits(condition, each)).sort(sorts[sort]);

          const pages: Answer[] = [];
          for (const { environment } of ways) {
            pages.push(await pageOf(shop, environment, parameters, pages.at(-1)?.body.nextCursor));
            if (!pages.at(-1)?.body.nextCursor || pages.length === 6) break;
          }
          const back: Answer[] = [];
          for (let page = pages.at(-1); page?.body.prevCursor; page = back.at(-1)) {
            back.push(await pageOf(shop, 0, parameters, page.body.prevCursor));
          }
          const counting = { filter: parameters.filter, count: 'exact' };
          const count = await shop.apis[1].get(`${ORDERS}/count?${new URLSearchParams(counting)}`);

          const shown = expected.slice(0, 40 * pages.length).map(({ number }) => number);
          expect(pages.flatMap(numbersOf)).toEqual(shown);
          expect(back.map(numbersOf)).toEqual(pages.slice(0, -1).map(numbersOf).toReversed());
          expect(count.body).toEqual({ count: expected.length, relation: 'eq' });
          expectTotal(pages[0], expected.length);
        }),
        { numRuns: propertyRuns(runs), seed },
      );
    });

    it('are shown once and in order while they change between the pages, and none that stays is left out', async () => {
      const steps = fc.infiniteStream(aStep);
      const sort = fc.constantFrom('', 'amount');
      await fc.assert(
        fc.asyncProperty(aCondition, sort, steps, async (condition, by, ways) => {
          const { found, missing, strangers } = await followed(shop, condition, by, ways);

          expect(found).toEqual([...new Set(found)].sort(sorts[by]));
          expect(strangers).toEqual([]);
          expect(missing).toEqual([]);
        }),
        { numRuns: propertyRuns(runs), seed },
      );
    });
  },
);
