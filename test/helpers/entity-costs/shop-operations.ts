import { LOT, type Shop } from './shop.ts';

/** A call of a shop whose cost is measured. */
export interface ShopOperation {
  readonly name: string;
  /** Records among which the cost is shared out. Default: one. */
  readonly records?: number;
  /** Calls that are measured at most. */
  readonly rounds?: number;
  /** The n-th call. */
  readonly run: (at: number) => Promise<unknown>;
}

/** Every call that is measured on a shop, in an order in which none spoils the next. */
export function shopOperations(shop: Shop): ShopOperation[] {
  return [...lists(shop), ...figures(shop), ...files(shop), ...writes(shop)];
}

const get = (shop: Shop, path: string) => shop.call('GET', path);

/** Both with the total that they have as a rule, and without it. */
const both = (shop: Shop, name: string, path: (at: number) => string): ShopOperation[] => [
  { name, run: (at) => get(shop, path(at)) },
  { name: `${name}, uncounted`, run: (at) => get(shop, `${path(at)}&count=none`) },
];

function lists(shop: Shop): ShopOperation[] {
  const { customers, orders } = shop;
  const one = (ids: readonly string[], at: number) => ids[(at * 7_919) % ids.length];
  return [
    ...both(shop, 'expand=customer', () => 'orders?expand=customer'),
    {
      name: 'detail with expand=customer',
      run: (at) => get(shop, `orders/${one(orders, at)}?expand=customer`),
    },
    ...both(shop, 'customer.region=r7', (at) => `orders?customer.region=r${at % 50}`),
    ...both(shop, 'sort=customer.name', () => 'orders?sort=customer.name'),
    ...both(
      shop,
      'sort=customer.name among one in ten',
      (at) => `orders?sort=customer.name&kind=k${at % 10}`,
    ),
    ...both(
      shop,
      'customers/{id}/orders',
      (at) => `customers/${one(customers, at)}/orders?size=20`,
    ),
    ...both(shop, 'createdBy', () => 'orders?createdBy=system'),
    ...both(shop, 'sort=-updatedAt', () => 'orders?sort=-updatedAt'),
    ...both(shop, 'createdBy and sort=-updatedAt', () => 'orders?createdBy=system&sort=-updatedAt'),
  ];
}

function figures(shop: Shop): ShopOperation[] {
  const aggregate = (name: string, query: (lot: number) => string): ShopOperation => ({
    name: `aggregate: ${name}`,
    run: (at) => get(shop, `orders/aggregate?${query(at % (shop.size / LOT))}`),
  });
  const all = 'sum=amount&avg=amount&min=amount&max=amount';
  return [
    aggregate('count by a counted field', () => 'groupBy=status'),
    aggregate(`sum, avg, min and max of ${LOT}`, (lot) => `lot=${lot}&${all}`),
    aggregate(`the same by one field`, (lot) => `lot=${lot}&groupBy=status&${all}`),
    aggregate(`the same by two fields`, (lot) => `lot=${lot}&groupBy=status,kind&${all}`),
    aggregate('count by two fields', (lot) => `lot=${lot}&groupBy=status,kind`),
    ...(shop.size <= 1_000
      ? [aggregate('sum of all by one field', () => `groupBy=status&${all}`)]
      : []),
  ];
}

function files(shop: Shop): ShopOperation[] {
  const lotOf = (at: number) => at % (shop.size / LOT);
  const ofLot = (name: string, query: string): ShopOperation => ({
    ...{ name: `export of ${LOT}${name}, each`, records: LOT },
    run: (at) => get(shop, `orders/export?format=ndjson&lot=${lotOf(at)}${query}`),
  });
  return [
    ofLot('', ''),
    ofLot(' in an order', '&sort=-amount'),
    ofLot(' with expand', '&expand=customer'),
    ofLot(' in the order of customers, with expand', '&sort=customer.name&expand=customer'),
  ];
}

function writes(shop: Shop): ShopOperation[] {
  const { call, announce, runJobs } = shop;
  const announced: { readonly id: string; readonly send: () => Promise<unknown> }[] = [];
  const contracts: string[] = [];
  const byFilter = (name: string, path: string, data: (at: number) => object): ShopOperation => ({
    ...{ name: `${name} of ${LOT} by filter, each`, records: LOT, rounds: 4 },
    run: async (at) => {
      await call('POST', `orders/${path}`, { filter: { lot: at }, ...data(at) });
      await runJobs();
    },
  });
  const invoice = (at: number) => ({ customer: 'C', amount: at });
  return [
    { name: 'create of three rows', run: (at) => call('POST', 'plain', invoice(at)) },
    { name: 'the same with a number', run: (at) => call('POST', 'invoice', invoice(at)) },
    { name: 'announce a file', run: async () => void announced.push(await announce()) },
    { name: 'upload it', run: async (at) => announced[at]?.send() },
    {
      name: 'create a record with it (two rows)',
      run: async (at) => {
        const body = { name: 'c', file: announced[at]?.id };
        contracts.push(String((await call('POST', 'contract', body)).body.id));
      },
    },
    { name: 'link to it', run: (at) => call('GET', `contract/${contracts[at]}/files/file`) },
    byFilter('dry run of a change', 'bulk:update', () => ({ data: { amount: 1 }, dryRun: true })),
    byFilter('change', 'bulk:update', (at) => ({ data: { amount: 2_000_000 + at } })),
    byFilter('delete', 'bulk:delete', () => ({})),
  ];
}
