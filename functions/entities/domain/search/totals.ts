import { conjuncts, type Filter } from '../query/filter.ts';
import { facetName } from '../records/index-rows.ts';
import { isSameValue } from '../values/folding.ts';
import type { Search } from './row-walk.ts';
import type { Counters } from './source.ts';

/** The total from counters, when available: all records, or those of one counted value. */
export function countFromCounters(
  filter: Filter,
  { model }: Pick<Search, 'model'>,
  counters: Counters,
): number | undefined {
  const [part, ...others] = conjuncts(filter);
  if (!part) return Math.max(0, counters.live);
  const field = part.kind === 'test' ? model.field(part.field) : undefined;
  if (others.length > 0 || part.kind !== 'test' || !field || !model.isCounted(field.code))
    return undefined;
  if (part.op !== 'eq' && part.op !== 'in') return undefined;
  const { name: counter = '' } = model.life.counters[field.code] ?? {};
  const asDeclared = (value: unknown): unknown =>
    field.enum?.find((each) => isSameValue(each, value)) ?? value;
  const names = part.operands.map(({ value }) => facetName(counter, asDeclared(value)));
  const values = [...new Set(names)];
  return values.reduce((sum, name) => sum + Math.max(0, counters.facets[name] ?? 0), 0);
}

/** Whether the counters alone know the count. */
export const isCounted = (filter: Filter, search: Pick<Search, 'model'>): boolean =>
  countFromCounters(filter, search, { live: 0, deleted: 0, facets: {} }) !== undefined;
