import {
  addDuration,
  type CaseDefinition,
  CmmnError,
  type Command,
} from '../../../functions/workflow/domain/cmmn/index.ts';
import { checkCase, findCase } from './check.ts';
import type { Scenario, Selector, Step } from './scenario.ts';
import { type SeenCase, type SeenPlanItem, World } from './world.ts';

/** Refusals by the two kinds that scenarios tell apart. */
const ILLEGAL_ARGUMENT = ['STAGE_NOT_COMPLETABLE', 'CASE_NOT_COMPLETABLE'];
const ILLEGAL_STATE = [
  'PLAN_ITEM_ILLEGAL_STATE',
  'CASE_NOT_ACTIVE',
  'CASE_SUSPENDED',
  'CASE_NOT_ENDED',
  'CASE_NOT_REACTIVATABLE',
];

/** Plays a scenario with the commands of the engine. @returns what went wrong, or undefined */
export function play(
  scenario: Scenario,
  definitions: readonly CaseDefinition[],
): string | undefined {
  const world = new World(definitions);
  for (const [index, step] of scenario.steps.entries()) {
    const failure = playStep(world, scenario, step);
    if (failure) return `step ${index} (${step.op}): ${failure}`;
  }
  return undefined;
}

function playStep(world: World, scenario: Scenario, step: Step): string | undefined {
  const failure = act(world, scenario, step);
  if (failure) return failure;
  return step.expect && checkCase(world, world.root, step.expect);
}

function act(world: World, scenario: Scenario, step: Step): string | undefined {
  try {
    perform(world, scenario, step);
  } catch (error) {
    if (!(error instanceof CmmnError)) throw error;
    const { expectError } = step;
    if (expectError === error.code || expectError === kindOf(error)) return undefined;
    return `${error.code}: ${error.message}`;
  }
  return step.expectError ? `expected ${step.expectError}, but nothing was refused` : undefined;
}

function kindOf({ code }: CmmnError): string | undefined {
  if (ILLEGAL_ARGUMENT.includes(code)) return 'illegalArgument';
  return ILLEGAL_STATE.includes(code) ? 'illegalState' : undefined;
}

function perform(world: World, scenario: Scenario, step: Step): void {
  world.user = step.user ?? world.user;
  if (step.op === 'assert') return;
  if (step.op === 'advanceTime') advanceTime(world, step.duration ?? 'PT0S');
  else if (PLAN_ITEM_OPS.has(step.op)) performOnPlanItems(world, step);
  else world.give(caseCommand(world, scenario, step));
}

/** The command of a step that is about a whole case. */
function caseCommand(world: World, scenario: Scenario, step: Step): Command {
  const { op: type, variables, transientVariables, businessStatus } = step;
  const definitionKey = scenario.caseDefinitionKey;
  if (type === 'start') {
    return { type, definitionKey, variables, transientVariables, businessStatus };
  }
  if (type === 'signal') {
    return { type, name: step.signal ?? '', variables, transientVariables };
  }
  const caseInstanceId = caseOf(world, step).instance.id;
  switch (type) {
    case 'setVariables':
    case 'reactivate':
      return { type, caseInstanceId, variables, transientVariables };
    case 'removeVariables':
      return { type, caseInstanceId, names: step.names ?? [] };
    case 'completeCase':
      return { type, caseInstanceId, force: step.force, variables };
    case 'terminate':
    case 'suspend':
    case 'resume':
      return { type, caseInstanceId };
    case 'plan':
      return {
        type,
        caseInstanceId,
        discretionaryItemId: step.definitionId ?? '',
        roles: step.roles,
        variables,
      };
    default:
      throw new Error(`the operation ${type} is not known`);
  }
}

const caseOf = (world: World, step: Step): SeenCase =>
  step.case === undefined ? world.root : (findCase(world, step.case) ?? world.root);

type PlanItemOp = Extract<Command, { planItemInstanceId: string; variables?: unknown }>['type'];
const PLAN_ITEM_OPS: ReadonlySet<string> = new Set<PlanItemOp>([
  'completeTask',
  'trigger',
  'enable',
  'disable',
  'startPlanItem',
  'terminatePlanItem',
  'completeStage',
  'suspendPlanItem',
  'resumePlanItem',
  'completeExternalWork',
  'failExternalWork',
]);

/** One command for each chosen instance. */
function performOnPlanItems(world: World, step: Step): void {
  const items = choose(caseOf(world, step).live, step);
  for (const { instance } of items) {
    const { variables, localVariables, transientVariables, childVariables, force, roles } = step;
    world.give({
      type: step.op as PlanItemOp,
      planItemInstanceId: instance.id,
      variables,
      localVariables,
      transientVariables,
      ...(step.op === 'startPlanItem' ? { childVariables } : {}),
      ...(step.op === 'completeStage' ? { force } : {}),
      ...(step.op === 'trigger' ? { roles } : {}),
    } as Command);
  }
}

/** The instances that a selector means; ended ones never match. */
function choose(live: readonly SeenPlanItem[], step: Step): readonly SeenPlanItem[] {
  const isTask = step.op === 'completeTask';
  const matching = live.filter(
    (item) =>
      matches(item, step) &&
      (!isTask || (item.definitionType === 'humanTask' && item.instance.state === 'active')),
  );
  if (step.orderBy === 'name') {
    matching.sort((left, right) => left.instance.name.localeCompare(right.instance.name));
  }
  if (step.all) return matching;
  const chosen = matching[(step.occurrence ?? 1) - 1];
  if (!chosen) throw new Error(`no plan item instance is meant by ${JSON.stringify(step)}`);
  return [chosen];
}

function matches(item: SeenPlanItem, selector: Selector): boolean {
  const { name, definitionId, type, state, whereLocal } = selector;
  const { instance } = item;
  return (
    (name === undefined || instance.name === name) &&
    (definitionId === undefined || item.definitionKey === definitionId) &&
    (type === undefined || item.definitionType === type) &&
    (state === undefined || instance.state === state) &&
    Object.entries(whereLocal ?? {}).every(([key, value]) => instance.variables?.[key] === value)
  );
}

/** Moves the clock and fires what is due, in order of due time. */
function advanceTime(world: World, duration: string): void {
  world.now = addDuration(world.now, duration);
  for (let due = nextDue(world); due; due = nextDue(world)) {
    world.give({ type: 'fireTimer', planItemInstanceId: due.instance.id });
  }
}

function nextDue(world: World): SeenPlanItem | undefined {
  const dueAt = ({ instance }: SeenPlanItem): number => Date.parse(instance.timer?.dueAt ?? '');
  return world.cases
    .flatMap(({ live }) => live)
    .filter((item) => item.instance.state === 'available' && dueAt(item) <= world.now)
    .sort((left, right) => dueAt(left) - dueAt(right))[0];
}
