import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { World } from './world.ts';

/** A list that is followed to its end. */
export interface FollowedKind {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Lists of the measured entity, and the part of its records that each shows. */
export const FOLLOWED: readonly FollowedKind[] = [
  kind('an equality, newest first: 1 in 5', { status: 'open' }),
  kind('an index over filter and order: 1 in 5', { status: 'open', sort: 'dueDate' }),
  kind('two equalities, newest first: 1 in 15', { status: 'open', priority: '1' }),
  kind('three equalities, newest first: 1 in 30', {
    ...{ status: 'open', priority: '1', active: 'true' },
  }),
  kind('a range, newest first: 1 in 10', { 'amount[lt]': '100000' }),
  kind('`q`, newest first: 1 in 10', { q: 'tran' }),
  kind('an equality, sorted: 1 in 2', { active: 'true', sort: 'amount' }),
  kind('an equality, sorted: 1 in 3', { priority: '1', sort: 'amount' }),
  kind('an equality, sorted: 1 in 5', { status: 'open', sort: 'amount' }),
  kind('an equality, sorted: 1 in 63', { city: 'Tỉnh 7', sort: 'amount' }),
  kind('an equality, sorted: 1 in 200', { owner: 'u7@example.com', sort: 'amount' }),
  kind('a range, sorted by another field: 1 in 2', { 'amount[lt]': '500000', sort: 'name' }),
  kind('a range, sorted by another field: 1 in 10', { 'amount[lt]': '100000', sort: 'name' }),
  kind('`q`, sorted: 1 in 10', { q: 'tran', sort: 'amount' }),
  kind('two equalities, sorted: 1 in 15', { status: 'open', priority: '1', sort: 'amount' }),
  kind('three equalities, sorted: 1 in 30', {
    ...{ status: 'open', priority: '1', active: 'true', sort: 'amount' },
  }),
  kind('an equality and two ranges, sorted: 1 in 20', {
    ...{ status: 'open', 'dueDate[gte]': '2026-07-01', 'amount[lt]': '500000', sort: 'name' },
  }),
  kind('`contains`, sorted: 1 in 10', { 'name[contains]': 'Trần', sort: 'amount' }),
  kind('an equality, sorted by two fields: 1 in 5', { status: 'open', sort: 'city,amount' }),
];

function kind(name: string, parameters: Readonly<Record<string, string>>): FollowedKind {
  return { name, parameters };
}

/** What following a list cost. */
export interface Following {
  readonly ids: readonly string[];
  readonly pages: number;
  readonly readUnits: number;
  /** Its price as a multiple of what reading its records once costs. */
  readonly ratio: number;
}

/** Read units of a record of the measured entity. */
const RECORD = 0.5;

/** Follows a list to its end. @param isElsewhere whether another environment answers each page */
export async function followToEnd(
  { context, model }: World,
  { parameters }: FollowedKind,
  { size = 50, isElsewhere = false } = {},
): Promise<Following> {
  const ids: string[] = [];
  let { services } = createEntitiesModule(context);
  let pages = 0;
  let cursor: string | undefined;
  const { readUnits } = await context.db.meter.costOf(async () => {
    do {
      if (isElsewhere) ({ services } = createEntitiesModule(context));
      const call = { size, count: 'none' as const, cursor, parameters };
      const { page } = await services.queryService.list(model, call, systemPrincipal);
      ids.push(...page.content.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
      pages += 1;
    } while (cursor && pages < MAX_PAGES);
  });
  return { ids, pages, readUnits, ratio: readUnits / (ids.length * RECORD) };
}

/** A list that has more does not come to its end. */
const MAX_PAGES = 3_000;
