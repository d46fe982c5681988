import { CmmnError, shown } from '../cmmn-error.ts';
import type { DecisionTable } from '../decision/decision-table.ts';
import type { JsonValue, Variables } from '../json.ts';
import type { CaseDefinition } from '../model/case-definition.ts';
import type { PlanItemDefinitionType } from '../model/plan-item-definition.ts';
import type { PlanItemTransition } from '../model/transition.ts';
import type { Agenda, Evaluation, Operation, StandardEvent } from './agenda.ts';
import type { Effect, NewEffect, PlanItemFacts } from './effect.ts';
import type { LiveCase, LivePlanItem } from './live-case.ts';

/** A case definition under the id by which the cases of that version find it again. */
export interface DeployedCase {
  readonly id: string;
  readonly definition: CaseDefinition;
}

/** Where the engine finds definitions. Synchronous: the caller has loaded what the case can need. */
export interface DefinitionSource {
  /**
   * The latest version of a case that the tenant itself has, for starting it; without a tenant, that of all.
   * @param sameDeploymentAs definition id of a case whose deployment comes first
   */
  latest(key: string, tenantId?: string, sameDeploymentAs?: string): DeployedCase | undefined;
  /** The version that a running case was started with. */
  byId(id: string): DeployedCase | undefined;
  /** A decision that the tenant itself has; without a tenant, that of all. */
  decision?(key: string, tenantId?: string): DecisionTable | undefined;
}

/** What the world gives to a command. With the same environment, the same command has the same result. */
export interface Environment {
  readonly definitions: DefinitionSource;
  readonly now: number;
  readonly newId: () => string;
  /** Who gives the command. */
  readonly user?: string;
  readonly limits?: Partial<Limits>;
}

/** Limits that a host may change. */
export interface Limits {
  /** Most elements of a collection that a plan item is repeated for. */
  readonly maxCollectionSize: number;
  /** Deepest chain of cases that start each other. */
  readonly maxCaseDepth: number;
}

/** What the type of a definition adds to the life of its instances. */
export interface Behavior {
  /** Before the state changes, where the standard allows the transition. */
  onTransition?(run: Run, item: LivePlanItem, transition: PlanItemTransition): void;
  /** When the instance has become active. */
  onStart?(run: Run, item: LivePlanItem): void;
  /** When somebody triggers an active task or an available listener. */
  onTrigger?(run: Run, item: LivePlanItem): void;
}

/** One command at work. */
export interface Run {
  readonly environment: Environment;
  readonly limits: Limits;
  /** The instant of the command, as it is stored. */
  readonly at: string;
  readonly cases: LiveCase[];
  readonly agenda: Agenda;
  readonly effects: Effect[];
  /** Variables that are visible during the command only. */
  transient: Record<string, JsonValue>;
  readonly touched: Set<LiveCase>;
  readonly behaviors: Readonly<Record<PlanItemDefinitionType, Behavior>>;
}

/** Puts an operation at the end of the agenda. */
export function plan(run: Run, operation: Operation): void {
  if ('item' in operation) operation.item.isInFlux = true;
  run.agenda.operations.push(operation);
}

/** Puts an evaluation behind all operations. */
export function planEvaluation(
  run: Run,
  caseInstance: LiveCase,
  event?: StandardEvent,
  completion = false,
): void {
  const evaluation: Evaluation = { kind: 'evaluate', caseInstance, event, completion };
  run.agenda.evaluations.push(evaluation);
}

/** Records what has happened. */
export function emit(run: Run, caseInstance: LiveCase, effect: NewEffect): void {
  run.effects.push({ ...effect, caseInstanceId: caseInstance.id, at: run.at });
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
  const reference = shown(key);
  const message = `There is no case definition "${reference}".`;
  throw new CmmnError('CASE_DEFINITION_NOT_FOUND', message, { reference });
}

/** Adds variables that are visible until the command ends. */
export function addTransient(run: Run, variables: Variables | undefined): void {
  if (variables) run.transient = { ...run.transient, ...variables };
}
