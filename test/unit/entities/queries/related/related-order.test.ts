import { beforeAll, describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../../shared/ports/security.ts';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, type EntitiesApi, RECORDS } from '../../entities-api.ts';

const ORDERS = `${RECORDS}/orders`;
const toCustomer = { type: 'string', 'x-reference': { entity: 'customer', onDelete: 'none' } };
const shop = (shards: number) => [
  {
    ...{ code: 'customer', name: 'Customer', apiPath: 'customers', requirePermission: true },
    options: { shards },
    uiSchemaJson: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        credit: { type: 'integer' },
        secret: { type: 'string', 'x-searchable': false },
      },
    },
  },
  {
    ...{ code: 'order', name: 'Order', apiPath: 'orders', requirePermission: true },
    options: { shards },
    uiSchemaJson: {
      type: 'object',
      properties: {
        number: { type: 'integer' },
        status: { type: 'string', enum: ['open', 'paid'] },
        customer: toCustomer,
        viewers: { type: 'array', items: toCustomer },
      },
    },
  },
];

interface Customer {
  readonly id: string;
  readonly name: string;
  readonly credit: number | undefined;
}
interface Order {
  readonly id: string;
  readonly number: number;
  readonly status: string;
  readonly customer: string | undefined;
}

interface Sizes {
  readonly customers: number;
  readonly orders: number;
  readonly shards?: number;
  /** Customers that orders refer to. */
  readonly referred?: number;
}

/** A shop whose orders refer to some of its customers, to none and to customers that are gone. */
async function aShop(
  { customers, orders, shards = 1, referred = customers }: Sizes,
  decide: (target: string) => boolean | PermissionDecision = () => true,
) {
  const open = anEntitiesApi({ host: { permissionEvaluator: { hasPermission: () => true } } });
  for (const entity of shop(shards)) expect((await open.define(entity)).status).toBe(201);
  const bodies = Array.from({ length: customers }, (_, at) => ({
    name: `c${(at * 7) % 23}`,
    ...(at % 5 > 0 && { credit: (at * 13) % 11 }),
  }));
  const ids = await loadRecords(open.context, 'customer', bodies);
  const ordered = Array.from({ length: orders }, (_, number) => {
    const customer = number % 6 === 0 ? undefined : ids[(number * number) % referred];
    return { number, status: number % 3 ? 'open' : 'paid', ...(customer && { customer }) };
  });
  const orderIds = await loadRecords(open.context, 'order', ordered);
  const gone = ids.filter((_, at) => at % 9 === 4).slice(0, 5);
  for (const id of gone) await open.remove(`${RECORDS}/customers/${id}?purge=true`);
  const api = anEntitiesApi({
    besides: open.context,
    host: { permissionEvaluator: { hasPermission: (_who, target) => decide(target) } },
  });
  return {
    api,
    customers: bodies
      .map(({ name, ...body }, at): Customer => {
        const credit = 'credit' in body ? (body.credit as number) : undefined;
        return { id: ids[at] ?? '', name, credit };
      })
      .filter(({ id }) => !gone.includes(id)),
    orders: ordered.map(
      (body, at): Order => ({ customer: undefined, ...body, id: orderIds[at] ?? '' }),
    ),
  };
}

type Shop = Awaited<ReturnType<typeof aShop>>;

const compare = <T extends string | number>(one: T, other: T): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** Numbers of the orders as the documentation says. */
function expected(
  { customers, orders }: Shop,
  by: 'name' | 'credit',
  descending: boolean,
  keep: (order: Order) => boolean = () => true,
): number[] {
  const byId = new Map(customers.map((customer) => [customer.id, customer]));
  const sign = descending ? -1 : 1;
  const rank = ({ customer }: Order): number => {
    if (customer === undefined) return 0;
    return byId.has(customer) ? 1 : 2 * sign;
  };
  const value = ({ customer = '' }: Order) => byId.get(customer)?.[by];
  return orders
    .filter(keep)
    .toSorted((one, other) => {
      const parts = compare(rank(one), rank(other));
      if (parts !== 0) return parts * sign;
      const [left, right] = [value(one), value(other)];
      const values =
        left === right
          ? 0
          : left === undefined
            ? -1
            : right === undefined
              ? 1
              : compare(left, right);
      return (
        sign *
        (values || compare(one.customer ?? '', other.customer ?? '') || compare(one.id, other.id))
      );
    })
    .map(({ number }) => number);
}

/** Every page of a list, one after the other; then all of them backward. */
async function followed(api: EntitiesApi, query: string, size: number) {
  const forward: number[] = [];
  const backward: number[] = [];
  let previous: unknown;
  let cut = 0;
  for (let cursor: unknown = ''; cursor !== null; ) {
    const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
    const page = await api.get(`${ORDERS}?${query}&size=${size}${at}`);
    expect(page.status, page.text).toBe(200);
    forward.push(...contentOf(page).map(({ number }) => Number(number)));
    cursor = page.body.nextCursor;
    if (page.body.complete === false) cut += 1;
    previous = page.body.prevCursor;
    if (cursor === null) backward.unshift(...contentOf(page).map(({ number }) => Number(number)));
  }
  while (previous !== null) {
    const at = encodeURIComponent(String(previous));
    const page = await api.get(`${ORDERS}?${query}&size=${size}&cursor=${at}`);
    expect(page.status, page.text).toBe(200);
    backward.unshift(...contentOf(page).map(({ number }) => Number(number)));
    previous = page.body.prevCursor;
  }
  return { forward, backward, cut };
}

describe.each([
  ['few records, sorted in memory', { customers: 20, orders: 60 }],
  ['many records, found by the others', { customers: 60, orders: 900 }],
  ['many records in shards', { customers: 60, orders: 700, shards: 4 }],
])('a list in the order of related records: %s', (_name, sizes) => {
  let world: Shop;

  beforeAll(async () => {
    world = await aShop(sizes);
  });

  it.each([
    ['sort=customer.name', 'name', false],
    ['sort=-customer.name', 'name', true],
    ['sort=customer.credit', 'credit', false],
    ['sort=customer.credit,desc', 'credit', true],
  ] as const)('%s', async (query, by, descending) => {
    const { forward, backward } = await followed(world.api, query, 50);

    expect(forward).toEqual(expected(world, by, descending));
    expect(backward).toEqual(forward);
  });

  it('with filters, numbers of pages and totals', async () => {
    const keep = ({ status, number }: Order) => status === 'open' && number >= 20;
    const all = expected(world, 'name', true, keep);
    const query = 'sort=-customer.name&status=open&number[gte]=20';

    const { forward } = await followed(world.api, query, 40);
    const third = await world.api.get(`${ORDERS}?${query}&page=2&size=10`);

    expect(forward).toEqual(all);
    expect(contentOf(third).map(({ number }) => number)).toEqual(all.slice(20, 30));
    expect(third.body.totalElements).toBe(all.length);
  });
});

describe('grants of both entities', () => {
  it('decide: records that refer to hidden ones come last, in no order of those', async () => {
    const rowFilter = { credit: { gte: 4 } };
    const world = await aShop({ customers: 40, orders: 600 }, (target) =>
      target === 'customers' ? { allowed: true, rowFilter } : true,
    );
    const seen = world.customers.filter(({ credit }) => credit !== undefined && credit >= 4);

    for (const descending of [false, true]) {
      const query = `sort=${descending ? '-' : ''}customer.name`;
      const { forward, backward } = await followed(world.api, query, 100);
      expect(forward).toEqual(expected({ ...world, customers: seen }, 'name', descending));
      expect(backward).toEqual(forward);
    }
    const explained = await world.api.get(`${ORDERS}?sort=customer.name&explain=true`);
    expect(explained.status).toBe(403);
  });

  it('decide: what is hidden orders nothing', async () => {
    const fields = await aShop({ customers: 5, orders: 5 }, (target) =>
      target === 'customers' ? { allowed: true, fields: ['name'] } : true,
    );
    const none = await aShop({ customers: 5, orders: 5 }, (target) => target !== 'customers');
    const own = await aShop({ customers: 5, orders: 5 }, (target) =>
      target === 'orders' ? { allowed: true, fields: ['number'] } : true,
    );

    expect((await fields.api.get(`${ORDERS}?sort=customer.credit`)).status).toBe(403);
    expect((await fields.api.get(`${ORDERS}?sort=customer.name`)).status).toBe(200);
    expect((await none.api.get(`${ORDERS}?sort=customer.name`)).status).toBe(403);
    expect((await own.api.get(`${ORDERS}?sort=customer.name`)).status).toBe(403);
  });
});

describe('an order by related records', () => {
  it.each([
    ['customer.secret', 'NOT_SORTABLE'],
    ['customer.nothing', 'NOT_SORTABLE'],
    ['viewers.name', 'NOT_SORTABLE'],
    ['number.name', 'NOT_A_REFERENCE'],
    ['customer.name.first', 'TOO_DEEP'],
    ['customer.name,number', 'NOT_ALONE'],
  ])('by %s is refused', async (sort, code) => {
    const { api } = await aShop({ customers: 1, orders: 1 });

    const { status, body } = await api.get(`${ORDERS}?sort=${sort}`);

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ parameter: 'sort', code }]);
  });

  it('of many records needs an index', async () => {
    const { api } = await aShop({ customers: 3, orders: 2_000 });

    const { status, body } = await api.get(`${ORDERS}?sort=customer.updatedAt`);

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'SORT_NEEDS_INDEX' });
    expect(body.detail).toContain('customer.updatedAt');
  });

  it('costs a page the records that it shows and those that they refer to, whatever their number', async () => {
    const units: number[] = [];
    for (const factor of [1, 10]) {
      const { api } = await aShop({ customers: 60 * factor, orders: 600 * factor });
      await api.get(`${ORDERS}?sort=-customer.name&count=none`);
      const cost = await api.context.db.meter.costOf(async () => {
        const page = await api.get(`${ORDERS}?sort=-customer.name&count=none`);
        expect(contentOf(page)).toHaveLength(20);
      });
      units.push(cost.readUnits);
    }

    expect(units[0]).toBeLessThanOrEqual(60);
    expect(units[1]).toBeLessThanOrEqual(60);
  });

  it('with a filter that few meet reads the others only until it knows which they are', async () => {
    const world = await aShop({ customers: 200, orders: 3_000 });
    await world.api.get(`${ORDERS}?size=1`);
    let shown = 0;

    const cost = await world.api.context.db.meter.costOf(async () => {
      let cursor = '';
      do {
        const page = await world.api.get(
          `${ORDERS}?sort=customer.name&status=paid&count=none&size=50${cursor}`,
        );
        shown += contentOf(page).length;
        const { nextCursor } = page.body;
        cursor = nextCursor === null ? '' : `&cursor=${encodeURIComponent(String(nextCursor))}`;
      } while (cursor !== '');
    });

    expect(shown).toBe(1_000);
    expect(cost.readUnits / (shown * 0.5)).toBeLessThanOrEqual(3);
  });

  it('of records that few refer to ends a page at the limit of work, and goes on', async () => {
    const world = await aShop({ customers: 5_000, orders: 2_000, referred: 3 });

    const { forward, backward, cut } = await followed(world.api, 'sort=-customer.name', 200);

    expect(forward).toEqual(expected(world, 'name', true));
    expect(backward).toEqual(forward);
    expect(cut).toBeGreaterThan(1);
  });
});
