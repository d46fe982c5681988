import { CmmnError } from '../../basics/cmmn-error.ts';
import { type JsonValue, jsonSize, type Variables } from '../../basics/json.ts';
import type { Cause } from '../../contract/effect.ts';
import { type Budget, budgetFor, type Limits } from '../../contract/limits.ts';
import type { ExitEventType, ExitType } from '../../model/sentry.ts';
import type { CaseFileItemTransition, PlanItemTransition } from '../../model/transition.ts';
import type { LiveCase, LivePlanItem } from './live-case.ts';

/** The events that a sentry reacts to. */
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
  /** `create` of a copy that completes at once: no effect is emitted. */
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
      /** The exit criterion of the plan model; absent: a command ended the case. */
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

/** The remaining work of a command: operations first, then evaluations, each in the order they were planned. */
export interface Agenda {
  readonly operations: Operation[];
  readonly evaluations: Evaluation[];
  /** Number of operations taken from the agenda. */
  done: number;
  /** Number of evaluations taken from the agenda. */
  evaluated: number;
  visits: number;
  rounds: number;
  expressionSteps: number;
  /** Characters of the texts that expressions have given. */
  texts: number;
  /** Size of the values that the effects carry. */
  values: number;
  readonly limits: Limits;
  /** Plan items and instances of the largest case: the limits grow with it. */
  size: number;
}

/** An agenda with nothing on it. */
export const createAgenda = (limits: Limits): Agenda => ({
  operations: [],
  evaluations: [],
  done: 0,
  evaluated: 0,
  visits: 0,
  rounds: 0,
  expressionSteps: 0,
  texts: 0,
  values: 0,
  limits,
  size: 0,
});

/**
 * Appends an operation to the agenda. A planned operation is never removed.
 * @throws CmmnError `ENGINE_LOOP`
 */
export function addOperation(agenda: Agenda, operation: Operation): void {
  const { operations } = agenda;
  operations.push(operation);
  requireWithin(agenda, 'maxOperations', operations.length, 'operations');
}

/** The next thing to do; undefined when nothing is left. */
export function takeNext(agenda: Agenda): Operation | Evaluation | undefined {
  const { operations, evaluations } = agenda;
  if (agenda.done < operations.length) return operations[agenda.done++];
  if (agenda.evaluated < evaluations.length) return evaluations[agenda.evaluated++];
  return undefined;
}

/** Counts the instances that an evaluation looks at. @throws CmmnError `ENGINE_LOOP` */
export function countVisits(agenda: Agenda, visits: number): void {
  agenda.visits += visits;
  requireWithin(agenda, 'maxVisits', agenda.visits, 'evaluated plan items');
}

/** Counts a round of evaluation. @throws CmmnError `ENGINE_LOOP` */
export function countRound(agenda: Agenda): void {
  agenda.rounds++;
  requireWithin(agenda, 'maxRounds', agenda.rounds, 'rounds of evaluation');
}

/** Counts what an expression takes. @throws CmmnError `ENGINE_LOOP` */
export function countExpressionSteps(agenda: Agenda, steps: number): void {
  agenda.expressionSteps += steps;
  requireWithin(agenda, 'maxExpressionSteps', agenda.expressionSteps, 'steps of expressions');
}

/** Counts a text that an expression has given, and that a state or an effect may keep. @throws CmmnError `CASE_TOO_LARGE` */
export function countText(agenda: Agenda, length: number): void {
  const { maxTexts } = agenda.limits;
  agenda.texts += length;
  if (agenda.texts <= maxTexts) return;
  const message = `The expressions of the command give texts of more than ${maxTexts} characters.`;
  throw new CmmnError('CASE_TOO_LARGE', message);
}

/** Counts a value that an effect carries. @throws CmmnError `VARIABLES_TOO_LARGE` */
export function countValue(agenda: Agenda, value: JsonValue | Variables): void {
  const { maxEffectVariables } = agenda.limits;
  agenda.values += jsonSize(value);
  if (agenda.values <= maxEffectVariables) return;
  const message = `The effects of the command would carry variables of more than ${maxEffectVariables} characters of JSON.`;
  throw new CmmnError('VARIABLES_TOO_LARGE', message);
}

/** Lets the limits grow with a case that the command works on. */
export function makeRoomFor(agenda: Agenda, planItems: number): void {
  agenda.size = Math.max(agenda.size, planItems);
}

function requireWithin(
  { limits, size }: Agenda,
  limit: keyof Budget,
  used: number,
  what: string,
): void {
  if (used <= limits[limit] || used <= budgetFor(limits, size)[limit]) return;
  throw new CmmnError('ENGINE_LOOP', `The case does not come to rest: ${used} ${what}.`);
}
