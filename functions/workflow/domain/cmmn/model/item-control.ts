import type { Expression, NameExpression } from '../expression/expression.ts';

/** A rule with an optional condition; without one it holds (CMMN 1.1, 5.4). */
export interface Rule {
  readonly condition?: Expression;
}

/**
 * Repetition rule (CMMN 1.1, 5.4), with Flowable's extensions: a limit of instances that live at the same
 * time, and one instance for each element of a collection.
 */
export interface RepetitionRule extends Rule {
  /** Local variable that counts the instances, from 1. */
  readonly counterVariable: string;
  /** True: instances get no counter. */
  readonly ignoreCounterVariable?: boolean;
  /** Most instances that live at the same time; absent = no limit. */
  readonly maxInstanceCount?: number;
  /** Variable or expression that holds the collection. */
  readonly collection?: Expression;
  readonly elementVariable?: string;
  readonly elementIndexVariable?: string;
  readonly aggregations?: readonly VariableAggregation[];
}

/** Collects variables of the instances of a repetition into one list, when the last of them has ended. */
export interface VariableAggregation {
  readonly target: NameExpression;
  /** True: the list can be read while the repetition runs, too. */
  readonly createOverviewVariable?: boolean;
  /** True: the list lives for the command only in which the last instance ends. */
  readonly storeAsTransient?: boolean;
  readonly variables: readonly AggregatedVariable[];
}

/** One value of an aggregation: of a variable, which can be missing, or of an expression. */
export interface AggregatedVariable {
  readonly sourceName?: string;
  readonly source?: Expression;
  readonly target: NameExpression;
}

/** How an instance counts when its stage or case is judged for completion (extension of Flowable). */
export const PARENT_COMPLETION_TYPES = [
  'default',
  'ignore',
  'ignoreIfAvailable',
  'ignoreIfAvailableOrEnabled',
  'ignoreAfterFirstCompletion',
  'ignoreAfterFirstCompletionIfAvailableOrEnabled',
] as const;
/** Whether an instance keeps its parent open (extension of Flowable). */
export type ParentCompletionType = (typeof PARENT_COMPLETION_TYPES)[number];

/** What happens to a plan item when an ended case is reactivated (extension of Flowable). */
export interface ReactivationRule {
  /** Created and activated without looking at its entry criteria. */
  readonly activate?: Rule;
  /** Not created. */
  readonly ignore?: Rule;
  /** Created as at the start of a case. */
  readonly byDefault?: Rule;
}

/** Plan item control (CMMN 1.1, 5.4). */
export interface ItemControl {
  readonly requiredRule?: Rule;
  readonly manualActivationRule?: Rule;
  readonly repetitionRule?: RepetitionRule;
  readonly completionNeutralRule?: Rule;
  readonly parentCompletionRule?: ParentCompletionType;
  readonly reactivationRule?: ReactivationRule;
}
