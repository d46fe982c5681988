import { CmmnError, shown } from '../../basics/cmmn-error.ts';
import type { JsonValue, Variables } from '../../basics/json.ts';
import type { CaseFacts, Cause, Effect, NewEffect, PlanItemFacts } from '../../contract/effect.ts';
import type { DeployedCase, Environment } from '../../contract/environment.ts';
import type { Limits } from '../../contract/limits.ts';
import type { PlanItemDefinitionType } from '../../model/plan-item-definition.ts';
import type { PlanItemTransition } from '../../model/transition.ts';
import {
  type Agenda,
  addOperation,
  type Evaluation,
  type Operation,
  type PlanItemOperation,
  type StandardEvent,
} from './agenda.ts';
import type { Container, LiveCase, LivePlanItem } from './live-case.ts';

/** The behaviour that a type of definition adds to its instances. */
export interface Behavior {
  /** Before the state changes, where the standard allows the transition. */
  onTransition?(
    run: Run,
    item: LivePlanItem,
    transition: PlanItemTransition,
    operation: PlanItemOperation,
  ): void;
  /** When the instance has become active. */
  onStart?(run: Run, item: LivePlanItem): void;
  /** Handles the trigger of an active task or available listener. */
  onTrigger?(run: Run, item: LivePlanItem): void;
}

/** One command at work. */
export interface Run {
  readonly environment: Environment;
  readonly limits: Limits;
  /** The instant of the command, as it is stored. */
  readonly at: string;
  readonly cases: LiveCase[];
  /** The root of the family; undefined until a case has been started. */
  root: LiveCase | undefined;
  readonly agenda: Agenda;
  readonly effects: Effect[];
  /** Variables that are visible during the command only. */
  transient: Record<string, JsonValue>;
  readonly touched: Set<LiveCase>;
  /** A variable has been set, so their sizes are to be looked at. */
  hasNewVariables: boolean;
  /** Texts may have come to the state, so their sizes are to be looked at. */
  hasNewTexts: boolean;
  /** Cases and stages whose `completable` has changed, with what it was before the command. */
  readonly completableBefore: Map<Container, boolean>;
  /** Brings the overviews of aggregations up to date, before a variable is read that is one. */
  readonly refreshOverviews: (run: Run, caseInstance: LiveCase) => void;
  /** Why the operations that are being planned are planned. */
  cause: Cause | undefined;
  readonly behaviors: Readonly<Record<PlanItemDefinitionType, Behavior>>;
}

/** Puts an operation at the end of the agenda. */
export function plan(run: Run, operation: Operation): void {
  if ('item' in operation) operation.item.isInFlux = true;
  const { cause } = run;
  const isTold = cause === undefined || 'cause' in operation;
  addOperation(run.agenda, isTold ? operation : { ...operation, cause });
}

/** Operations planned during the work get the cause, unless they have one. */
export function withCause(run: Run, cause: Cause, work: () => void): void {
  const before = run.cause;
  run.cause = cause;
  work();
  run.cause = before;
}

/** Plans an evaluation after all operations. */
export function planEvaluation(
  run: Run,
  caseInstance: LiveCase,
  event?: StandardEvent,
  completion = false,
): void {
  const evaluation: Evaluation = { kind: 'evaluate', caseInstance, event, completion };
  run.agenda.evaluations.push(evaluation);
}

/** Emits an effect; the object is completed in place with case and time. */
export function emit(run: Run, caseInstance: LiveCase, effect: NewEffect): void {
  const by = run.environment.user;
  run.effects.push(Object.assign(effect, { caseInstanceId: caseInstance.id, at: run.at, by }));
}

/** The facts that name a case in an effect. */
export function caseFactsOf({ source, familyId, parent }: LiveCase): CaseFacts {
  const { definitionId, definitionKey, businessKey } = source;
  return { definitionId, definitionKey, familyId, businessKey, parent };
}

/** The facts that name a plan item instance in an effect. */
export function factsOf(item: LivePlanItem): PlanItemFacts {
  return {
    planItemInstanceId: item.id,
    planItemId: item.planItem.id,
    definitionKey: item.planItem.definition.id,
    definitionType: item.planItem.definition.type,
    name: item.name,
    stageInstanceId: item.stage?.id,
  };
}

/** The case with the id, as long as the state holds it. */
export const findCase = (run: Run, id: string): LiveCase | undefined =>
  run.cases.find((candidate) => candidate.id === id);

/**
 * The latest version of a case definition: the tenant's own, else that of all tenants.
 * @throws CmmnError `CASE_DEFINITION_NOT_FOUND`
 */
export function latestDefinition(
  run: Run,
  key: string,
  tenantId: string | undefined,
  sameDeploymentAs?: string,
): DeployedCase {
  const { definitions } = run.environment;
  const deployed =
    definitions.latest(key, tenantId, sameDeploymentAs) ??
    (tenantId ? definitions.latest(key, undefined, sameDeploymentAs) : undefined);
  if (deployed) return deployed;
  const message = `There is no case definition "${shown(key)}".`;
  const details = { reference: key, tenantId, sameDeploymentAs };
  throw new CmmnError('CASE_DEFINITION_NOT_FOUND', message, details);
}

/** Adds variables that are visible until the command ends. */
export function addTransient(run: Run, variables: Variables | undefined): void {
  if (variables) run.transient = { ...run.transient, ...variables };
}
