import type { Expression } from '../expression/expression.ts';
import type { CaseFileItemTransition, PlanItemTransition } from './transition.ts';

/** Waits for a transition of a plan item (CMMN 1.1, 5.4). */
export interface PlanItemOnPart {
  readonly kind: 'planItem';
  /** Unique in the case; generated when the model gives none. */
  readonly id: string;
  readonly sourceRef: string;
  readonly standardEvent: PlanItemTransition;
  /** Only an exit through this criterion counts (5.4). */
  readonly exitCriterionRef?: string;
}

/** Waits for a change of a case file item, that is, of the variable of the same name (CMMN 1.1, 5.4). */
interface CaseFileItemOnPart {
  readonly kind: 'caseFileItem';
  readonly id: string;
  readonly sourceRef: string;
  readonly variableName: string;
  readonly standardEvent: CaseFileItemTransition;
}

/** What a sentry waits for (CMMN 1.1, 5.4). */
export type OnPart = PlanItemOnPart | CaseFileItemOnPart;

/** A condition (CMMN 1.1, 5.4). */
export interface IfPart {
  readonly id: string;
  readonly condition: Expression;
}

/** `default` keeps what was satisfied between commands, `onEvent` does not (extension of Flowable). */
export type TriggerMode = 'default' | 'onEvent';

/** What has to happen and to be true (CMMN 1.1, 5.4). */
export interface Sentry {
  readonly id: string;
  readonly name?: string;
  readonly triggerMode: TriggerMode;
  readonly onParts: readonly OnPart[];
  readonly ifPart?: IfPart;
}

/** Which instances an exit criterion ends (extension of Flowable); without one: all. */
export const EXIT_TYPES = ['default', 'activeInstances', 'activeAndEnabledInstances'] as const;
/** Which instances an exit criterion spares (extension of Flowable). */
export type ExitType = (typeof EXIT_TYPES)[number];

/** How an exit criterion ends a stage or the case (extension of Flowable). */
export const EXIT_EVENT_TYPES = ['exit', 'complete', 'forceComplete'] as const;
/** How a stage or case ends by an exit criterion (extension of Flowable). */
export type ExitEventType = (typeof EXIT_EVENT_TYPES)[number];

/** Entry or exit criterion: where a sentry is attached (CMMN 1.1, 5.4). */
export interface Criterion {
  readonly id: string;
  readonly name?: string;
  readonly sentryRef: string;
  readonly exitType?: ExitType;
  readonly exitEventType?: ExitEventType;
}
