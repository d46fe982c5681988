import type { GuardVerdict } from '../../domain/plan/guard.ts';
import type {
  DepartmentCounts,
  DepartmentOperation,
  PlanCounts,
} from '../../domain/plan/operations.ts';

/** A plan as the bucket has it, besides the files with changes of accounts. */
export interface StoredPlan {
  readonly rootId: string;
  /** Whether the root is made by this plan. */
  readonly isNewRoot: boolean;
  readonly departments: readonly DepartmentOperation[];
  readonly users: PlanCounts;
  readonly organization: DepartmentCounts;
  readonly verdict?: GuardVerdict | undefined;
  /** Numbers of the files with changes of accounts, those that are missing not among them. */
  readonly chunks: readonly number[];
  /** Numbers of the files with accounts that are missing. */
  readonly missing: readonly number[];
  /** Fence under which it was made. */
  readonly fence: number;
  readonly sourceTime?: number | undefined;
  readonly mode: 'FULL' | 'INCREMENTAL';
  readonly isFirst: boolean;
  /** Whether only some users were compared: it says nothing of how far the source is known. */
  readonly isOfSome?: boolean | undefined;
  /** When it was made (epoch ms). */
  readonly madeAt: number;
  /** Mark of the configuration that it was made for. */
  readonly madeFor: string;
}

/** Extent of a plan that was held back and approved. */
export interface AcceptedPlan {
  readonly code?: GuardVerdict['code'] | undefined;
  readonly removals: number;
  readonly departments: number;
}

export const acceptanceOf = ({ verdict, users, organization }: StoredPlan): AcceptedPlan => ({
  code: verdict?.code,
  removals: users.missingActive + users.disabled,
  departments: organization.removed,
});

/** Whether a plan goes no further than the one that was accepted. */
export function isAccepted(
  { acceptsRemovals: accepted }: { readonly acceptsRemovals?: AcceptedPlan | undefined },
  plan: StoredPlan,
): boolean {
  if (!accepted) return false;
  const { code, removals, departments } = acceptanceOf(plan);
  return (
    code === accepted.code && removals <= accepted.removals && departments <= accepted.departments
  );
}
