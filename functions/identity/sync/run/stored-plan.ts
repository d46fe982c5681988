import type { GuardVerdict } from '../../domain/plan/guard.ts';
import type {
  DepartmentCounts,
  DepartmentOperation,
  PlanCounts,
} from '../../domain/plan/operations.ts';

/** A plan as it lies in the bucket, besides the files with changes of accounts. */
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
}
