import {
  addDuration,
  type CaseDefinition,
  CmmnError,
  type Command,
} from '../../../functions/workflow/domain/cmmn/index.ts';
import { checkCase } from './check.ts';
import { isIllegal } from './refusals.ts';
import type { Scenario, Step } from './scenario.ts';
import type { SeenPlanItem } from './seen.ts';
import { caseOf, choose } from './select.ts';
import { World } from './world.ts';

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
    if (expectError === error.code || isIllegal(error.code, expectError)) return undefined;
    return `${error.code}: ${error.message}`;
  }
  return step.expectError ? `expected ${step.expectError}, but nothing was refused` : undefined;
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
