import { toInstant } from '../../../shared/primitives/clock.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { type MeanCost, meanCostOf } from './mean-cost.ts';
import { MAX_AMOUNT, MeasuredValues } from './measured-entity.ts';
import { SPACE_MS, type World } from './world.ts';

/** A call whose cost is measured. */
export interface Operation {
  readonly name: string;
  /** One call with values drawn anew. */
  readonly run: (values: MeasuredValues) => Promise<unknown>;
}

/** Records made while measuring: each needs a code of its own. */
let created = 0;

/** What the name of a list that counts nothing ends with: behind a cursor none does. */
export const UNCOUNTED = ', uncounted';

/** Every call that is measured on a world, in an order in which none spoils the next. */
export function operations(world: World): Operation[] {
  const uncounted = lists(world, { count: 'none' }).map(({ name, run }) => ({
    name: name + UNCOUNTED,
    run,
  }));
  return [...lists(world, {}), ...uncounted, ...others(world)];
}

/** Lists of 20 records. */
function lists(
  { services, model, size, words, startedAt }: World,
  how: { readonly count?: 'none' },
): Operation[] {
  const list = (parameters: Readonly<Record<string, string>>, more: object = {}) =>
    services.queryService.list(model, { size: 20, ...how, ...more, parameters }, systemPrincipal);
  return [
    { name: 'list', run: () => list({}) },
    { name: 'page 49', run: () => list({}, { page: Math.min(49, size / 20 - 1) }) },
    { name: 'eq', run: (v) => list({ status: v.status() }) },
    { name: 'eq by id', run: (v) => list({ city: v.city() }) },
    { name: 'unique', run: (v) => list({ code: `C-${v.whole(size)}` }) },
    {
      name: 'range',
      run: (v) => list({ 'amount[gte]': String(v.whole(MAX_AMOUNT / 2)), sort: 'amount' }),
    },
    {
      name: 'made in a range',
      run: (v) => {
        const first = startedAt + (v.whole(size / 2) + 0.5) * SPACE_MS;
        const [from, to] = [first, first + (size / 5) * SPACE_MS].map(toInstant);
        return list({ 'createdAt[gte]': from ?? '', 'createdAt[lt]': to ?? '' });
      },
    },
    {
      name: 'prefix',
      run: (v) => list({ 'name[startsWith]': v.family(), sort: 'name' }),
    },
    { name: 'sort', run: (v) => list({ sort: v.one(['-amount', 'amount', 'name', '-dueDate']) }) },
    {
      name: 'composite',
      run: (v) => list({ status: v.status(), sort: v.one(['dueDate', '-dueDate']) }),
    },
    {
      name: 'two filters (1 in 15)',
      run: (v) => list({ status: v.status(), priority: String(v.priority()) }),
    },
    {
      name: 'two filters (1 in 315)',
      run: (v) => list({ status: v.status(), city: v.city() }),
    },
    {
      name: 'two filters (1 in 12 600)',
      run: (v) => list({ owner: v.owner(), city: v.city() }),
    },
    {
      name: 'counted filter + sort',
      run: (v) => list({ status: v.status(), sort: 'amount' }),
    },
    {
      name: 'dense filter + sort',
      run: (v) => list({ priority: String(v.priority()), sort: 'amount' }),
    },
    {
      name: 'sparse filter + sort',
      run: (v) => list({ city: v.city(), sort: 'amount' }),
    },
    {
      name: 'q, one record',
      run: (v) => list({ q: v.one(words) }),
    },
    { name: 'q, none', run: () => list({ q: 'nobody' }) },
    { name: 'q, one in ten', run: (v) => list({ q: v.family() }) },
    { name: 'q, every record', run: () => list({ q: 'van' }) },
  ];
}

function others({ services, model, size, ids }: World): Operation[] {
  const { queryService, recordReader, recordService, deletionService } = services;
  const count = (parameters: Readonly<Record<string, string>>) =>
    queryService.count(model, parameters, systemPrincipal);
  const existing = (values: MeasuredValues): string => values.one(ids);
  const untouched = ids.slice(0, Math.ceil(ids.length / 2));
  return [
    { name: 'detail', run: (v) => recordReader.get(model, existing(v), systemPrincipal) },
    {
      name: 'last page',
      run: () => {
        const call = { size: 20, page: Math.ceil(size / 20) - 1, parameters: {} };
        return queryService.list(model, call, systemPrincipal);
      },
    },
    { name: 'count of a facet', run: (v) => count({ status: v.status() }) },
    {
      name: 'count of a range',
      run: (v) => {
        const from = v.whole(MAX_AMOUNT / 2);
        return count({ 'amount[between]': `${from},${from + MAX_AMOUNT / 100}` });
      },
    },
    {
      name: 'create',
      run: (v) => {
        created += 1;
        return recordService.create(model, v.record(size + created), systemPrincipal);
      },
    },
    {
      name: 'update, plain field',
      run: (v) =>
        recordService.update(model, existing(v), { notes: `n${v.amount()}` }, systemPrincipal),
    },
    {
      name: 'update, indexed field',
      run: (v) =>
        recordService.update(
          model,
          existing(v),
          { amount: MAX_AMOUNT + v.amount() },
          systemPrincipal,
        ),
    },
    {
      name: 'delete',
      run: (v) => deletionService.delete(model, v.one(untouched), systemPrincipal),
    },
  ];
}

/** What calls with values of a seed cost on average. */
export function meanCost(
  { context }: World,
  { run }: Operation,
  { rounds = 5, seed = 7 } = {},
): Promise<MeanCost> {
  const values = new MeasuredValues(seed);
  return meanCostOf(context.db, rounds, () => run(values));
}

/** Calls that cost the same however many records there are. */
export const FLAT_CALLS: readonly string[] = [
  'detail',
  ...['list', 'eq', 'unique', 'sort', 'composite', 'last page'],
  ...['list', 'eq', 'unique', 'range', 'made in a range', 'prefix', 'sort', 'composite'].map(
    (name) => name + UNCOUNTED,
  ),
  'count of a facet',
  'create',
  'update, plain field',
  'update, indexed field',
  'delete',
];
