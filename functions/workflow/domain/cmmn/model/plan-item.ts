import type { Expression } from '../expression/expression.ts';
import type { ItemControl } from './item-control.ts';
import type { Criterion } from './sentry.ts';

/** A plan item as a model places it (CMMN 1.1, 5.4). */
export interface PlanItem {
  readonly id: string;
  readonly name?: string;
  readonly definitionRef: string;
  readonly itemControl?: ItemControl;
  readonly entryCriteria: readonly Criterion[];
  readonly exitCriteria: readonly Criterion[];
  /** Set for an item of a planning table: exists only after a user has planned it. */
  readonly discretionary?: DiscretionaryItem;
}

/** What a discretionary item has beyond a plan item (CMMN 1.1, 5.4). */
export interface DiscretionaryItem {
  readonly applicabilityRules: readonly ApplicabilityRule[];
  readonly authorizedRoleRefs: readonly string[];
}

/** Whether a discretionary item makes sense now (CMMN 1.1, 5.4). */
interface ApplicabilityRule {
  readonly id: string;
  readonly name?: string;
  readonly condition?: Expression;
}

/** What a person can add to a running case (CMMN 1.1, 5.4). Nested tables are flattened. */
export interface PlanningTable {
  readonly id: string;
  readonly items: readonly PlanItem[];
}
