import type { DepartmentPlan } from '../../domain/plan/department-plan.ts';
import type { LinkedUser } from '../../domain/plan/user-plan.ts';
import { ONLY, type RunFiles } from '../../store/run-files.ts';
import type { Run } from './run.ts';

/** The links of the users that a run compares. */
export async function ofSome(
  { files }: { readonly files: RunFiles },
  run: Run,
  links: readonly LinkedUser[],
): Promise<readonly LinkedUser[]> {
  const ids = new Set(await files.read<readonly string[]>(run, ONLY));
  return links.filter(({ externalId }) => ids.has(externalId));
}

/** Whom removals are weighed against: everybody, whatever the run compares. */
export const activeOf = (links: readonly LinkedUser[]): number =>
  links.filter(({ active }) => active).length;

/** The departments without removals, which are left to the next run of all. */
export const kept = ({ operations, counts, idOf }: DepartmentPlan): DepartmentPlan => ({
  operations: operations.filter(({ kind }) => kind !== 'remove'),
  counts: { ...counts, removed: 0 },
  idOf,
});
