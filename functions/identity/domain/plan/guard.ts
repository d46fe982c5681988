import type { DepartmentCounts, PlanCounts } from './operations.ts';

/** Why a plan needs an approval before it is applied. */
export type GuardCode =
  | 'TOO_MANY_REMOVALS'
  | 'SOURCE_EMPTY'
  | 'GROUPS_EMPTY'
  | 'TOO_MANY_DEPARTMENTS'
  | 'GROUPS_UNCONFIRMED'
  | 'TOO_MANY_RENAMED';

/** How many removals are applied without being asked for. */
export interface GuardLimits {
  readonly maxDeletePercent: number;
  readonly maxDeleteCount: number;
}

/** How a source was read. */
export interface ReadSource {
  readonly isFull: boolean;
  readonly hasLostGroups?: boolean | undefined;
}

export interface GuardVerdict {
  readonly code: GuardCode;
  readonly detail: string;
}

/** Fewer removals and renames than these are never held back: sources may be tiny. */
const FREE_ACCOUNTS = 10;
const FREE_DEPARTMENTS = 3;
const MAX_DEPARTMENTS_PERCENT = 30;
const MAX_RENAMED_PERCENT = 50;

/**
 * Judges a plan before anything of it is written.
 * @param read whether the source was read whole, else absence means nothing; whether it may have groups that it did not list.
 * @returns `undefined` when it may be applied.
 */
export function guardPlan(
  users: PlanCounts,
  departments: DepartmentCounts,
  { maxDeletePercent, maxDeleteCount }: GuardLimits,
  { isFull, hasLostGroups = false }: ReadSource,
): GuardVerdict | undefined {
  if (isFull && users.total === 0 && users.linked > 0) {
    return verdict('SOURCE_EMPTY', `The source has no users; ${users.linked} accounts are linked.`);
  }
  if (departments.total === 0 && departments.linked > 0) {
    const { linked } = departments;
    return verdict('GROUPS_EMPTY', `The source has no groups; ${linked} departments are linked.`);
  }
  const removals = users.missingActive + users.disabled;
  const isMany = exceeds(removals, users.linked, maxDeletePercent) || removals > maxDeleteCount;
  if (removals > FREE_ACCOUNTS && isMany) {
    return verdict(
      'TOO_MANY_REMOVALS',
      `${removals} of ${users.linked} accounts would be removed or disabled.`,
    );
  }
  const { removed, linked } = departments;
  if (holdsDepartmentsBack(removed, linked)) {
    return verdict('TOO_MANY_DEPARTMENTS', `${removed} of ${linked} departments would be removed.`);
  }
  if (hasLostGroups && removed > 0) {
    return verdict(
      'GROUPS_UNCONFIRMED',
      `The source cannot say whether ${removed} departments are gone: it finds no group by id.`,
    );
  }
  const { renamed } = users;
  if (renamed > FREE_ACCOUNTS && exceeds(renamed, users.linked, MAX_RENAMED_PERCENT)) {
    return verdict('TOO_MANY_RENAMED', `${renamed} of ${users.linked} accounts would be renamed.`);
  }
  return undefined;
}

/** Whether a plan that removes so many departments is held back. */
export const holdsDepartmentsBack = (removed: number, linked: number): boolean =>
  removed > FREE_DEPARTMENTS && exceeds(removed, linked, MAX_DEPARTMENTS_PERCENT);

const exceeds = (part: number, whole: number, percent: number): boolean =>
  part * 100 > percent * whole;

const verdict = (code: GuardCode, detail: string): GuardVerdict => ({ code, detail });
