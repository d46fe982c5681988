import { CmmnError } from '../../basics/cmmn-error.ts';
import type { Cause } from '../../contract/effect.ts';
import type { ExitEventType, ExitType } from '../../model/sentry.ts';
import type { CaseFileItemTransition, PlanItemTransition } from '../../model/transition.ts';
import type { LiveCase, LivePlanItem } from './live-case.ts';

/** What a sentry can hear. */
export type StandardEvent =
  | {
      readonly kind: 'planItem';
      readonly item: LivePlanItem;
      readonly transition: PlanItemTransition;
      readonly exitCriterionId?: string;
    }
  | {
      readonly kind: 'caseFileItem';
      readonly variableName: string;
      readonly transition: CaseFileItemTransition;
    };

/** A change of the state of one plan item instance. */
export interface PlanItemOperation {
  readonly kind:
    | 'create'
    | 'createRepeated'
    | 'activate'
    | 'activateDirectly'
    | 'reactivate'
    | 'enable'
    | 'disable'
    | 'start'
    | 'complete'
    | 'occur'
    | 'terminate'
    | 'exit'
    | 'fault'
    | 'initiate'
    | 'dismiss'
    | 'suspend'
    | 'parentSuspend'
    | 'resume'
    | 'parentResume';
  readonly item: LivePlanItem;
  /** The entry or exit criterion that caused it. */
  readonly criterionId?: string;
  readonly exitType?: ExitType;
  readonly exitEventType?: ExitEventType;
  /** `create` of a copy that completes at once: nobody is told. */
  readonly isSilent?: boolean;
  readonly cause?: Cause;
}

type CaseChange =
  | { readonly kind: 'initPlanModel'; readonly caseInstance: LiveCase }
  | { readonly kind: 'initStage'; readonly item: LivePlanItem }
  | { readonly kind: 'reactivatePlanModel'; readonly caseInstance: LiveCase }
  | { readonly kind: 'completeCase'; readonly caseInstance: LiveCase }
  | {
      readonly kind: 'terminateCase';
      readonly caseInstance: LiveCase;
      /** The exit criterion of the plan model; absent: somebody asked for it. */
      readonly criterionId?: string;
      readonly exitEventType?: ExitEventType;
    }
  | { readonly kind: 'hearVariableChanges'; readonly caseInstance: LiveCase };

/** A change of a case, or of the plan items of a stage that has just started. */
export type CaseOperation = CaseChange & { readonly cause?: Cause };

/** Looks for what follows: sentries that are satisfied, stages and cases that are complete. */
export interface Evaluation {
  readonly kind: 'evaluate';
  readonly caseInstance: LiveCase;
  readonly event?: StandardEvent;
  /** Stages that complete by themselves, and the case, are judged only when all else is done. */
  readonly completion: boolean;
}

/** A change that has been planned. */
export type Operation = PlanItemOperation | CaseOperation;

/** Most operations that one command may run. */
const MAX_OPERATIONS = 100_000;
/** Most plan item instances that the evaluations of one command may look at. */
const MAX_VISITS = 5_000_000;
/** Most rounds of evaluation until a case has to be stable. */
const MAX_ROUNDS = 1_000;

/** What a command still has to do: operations first, evaluations when none is left, both first come first served. */
export interface Agenda {
  readonly operations: Operation[];
  readonly evaluations: Evaluation[];
  nextOperation: number;
  nextEvaluation: number;
  done: number;
  visits: number;
  rounds: number;
}

/** An agenda with nothing on it. */
export const createAgenda = (): Agenda => ({
  operations: [],
  evaluations: [],
  nextOperation: 0,
  nextEvaluation: 0,
  done: 0,
  visits: 0,
  rounds: 0,
});

/** The next thing to do, removed from the agenda; undefined when nothing is left. */
export function takeNext(agenda: Agenda): Operation | Evaluation | undefined {
  const operation = agenda.operations[agenda.nextOperation];
  if (operation) {
    agenda.nextOperation++;
    if (++agenda.done > MAX_OPERATIONS) throw endless(`${MAX_OPERATIONS} operations`);
    return operation;
  }
  agenda.operations.length = 0;
  agenda.nextOperation = 0;
  const evaluation = agenda.evaluations[agenda.nextEvaluation];
  if (evaluation) {
    agenda.nextEvaluation++;
    return evaluation;
  }
  agenda.evaluations.length = 0;
  agenda.nextEvaluation = 0;
  return undefined;
}

/** Counts the instances that an evaluation looks at. @throws CmmnError `ENGINE_LOOP` */
export function countVisits(agenda: Agenda, visits: number): void {
  agenda.visits += visits;
  if (agenda.visits > MAX_VISITS) throw endless(`${MAX_VISITS} evaluated plan items`);
}

/** Counts a round of evaluation. @throws CmmnError `ENGINE_LOOP` */
export function countRound(agenda: Agenda): void {
  if (++agenda.rounds > MAX_ROUNDS) throw endless(`${MAX_ROUNDS} rounds of evaluation`);
}

const endless = (limit: string): CmmnError =>
  new CmmnError('ENGINE_LOOP', `The case does not come to rest: more than ${limit}.`);
