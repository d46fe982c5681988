import type { Command } from '../contract/command.ts';
import type { Effect } from '../contract/effect.ts';
import type { Environment } from '../contract/environment.ts';
import { limitsOf } from '../contract/limits.ts';
import type { EndedCounts, EngineState } from '../contract/state.ts';
import { isTerminal } from '../model/transition.ts';
import { requireForm } from './commands/accompanying.ts';
import { handle } from './commands/commands.ts';
import { createRun } from './create-run.ts';
import { evaluateCase } from './evaluation/evaluate-case.ts';
import { refreshOverviews } from './instances/aggregation-overview.ts';
import { counterOf } from './instances/plan-item-instances.ts';
import * as ofCases from './operations/case-operations.ts';
import * as endings from './operations/end-plan-item.ts';
import * as ofPlanItems from './operations/plan-item-operations.ts';
import { reactivatePlanModel } from './operations/reactivation.ts';
import {
  countRound,
  type Evaluation,
  makeRoomFor,
  type Operation,
  takeNext,
} from './run/agenda.ts';
import { requireSmall } from './run/case-size.ts';
import { tellCompletable } from './run/completable.ts';
import { settleFamilies } from './run/family.ts';
import { hasChanged, isEnded, type LiveCase, type LivePlanItem } from './run/live-case.ts';
import { emit, factsOf, plan, planEvaluation, type Run } from './run/run.ts';
import { storePlanItem } from './run/stored-case.ts';
import { writeState } from './run/stored-state.ts';
import { hearVariableChanges, planHearing } from './variables/variable-changes.ts';

/** The result of a command. */
export interface Result {
  /** The family that the command was for. */
  readonly state: EngineState;
  /** Cases that no other waits for any more: each is now the root of a family of its own. */
  readonly parted: readonly EngineState[];
  readonly effects: readonly Effect[];
}

type Step = Operation | Evaluation;
type Steps = {
  readonly [Kind in Step['kind']]: (run: Run, step: Extract<Step, { kind: Kind }>) => void;
};

/** Everything the agenda can hold, and what it does. */
const STEPS: Steps = {
  create: ofPlanItems.create,
  createRepeated: ofPlanItems.createRepeated,
  activate: ofPlanItems.activate,
  activateDirectly: ofPlanItems.activateDirectly,
  reactivate: ofPlanItems.reactivate,
  enable: ofPlanItems.enable,
  disable: ofPlanItems.disable,
  start: ofPlanItems.start,
  initiate: ofPlanItems.initiate,
  dismiss: ofPlanItems.dismiss,
  suspend: ofPlanItems.suspend,
  parentSuspend: ofPlanItems.suspend,
  resume: ofPlanItems.resume,
  parentResume: ofPlanItems.resume,
  complete: endings.complete,
  occur: endings.occur,
  terminate: endings.terminate,
  exit: endings.exit,
  fault: endings.fault,
  initPlanModel: ofCases.initPlanModel,
  initStage: ofCases.initStage,
  completeCase: ofCases.completeCase,
  terminateCase: ofCases.terminateCase,
  reactivatePlanModel,
  hearVariableChanges,
  evaluate: evaluateCase,
} as Steps;

/**
 * Executes one command: pure and synchronous, the given state is not modified. The same state,
 * command and environment always have the same result.
 * @param state what the previous command has left; undefined for `start`
 * @throws CmmnError when the command is refused; then nothing has happened
 */
export function execute(
  state: EngineState | undefined,
  command: Command,
  environment: Environment,
): Result {
  const limits = limitsOf(environment.limits);
  requireForm(command, limits);
  const run = createRun(state, command, environment, limits);
  handle(run, command);
  settle(run);
  return finish(run);
}

/** Works off the agenda until no case has anything left to do. @throws CmmnError `ENGINE_LOOP` */
function settle(run: Run): void {
  const sizes = run.cases.map(({ model, planItems }) => model.planItems.size + planItems.length);
  makeRoomFor(
    run.agenda,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  drain(run);
  do {
    while (run.touched.size > 0) {
      countRound(run.agenda);
      const touched = run.cases.filter((caseInstance) => run.touched.has(caseInstance));
      run.touched.clear();
      for (const caseInstance of touched) {
        if (caseInstance.state !== 'active') continue;
        planHearing(run, caseInstance);
        planEvaluation(run, caseInstance, undefined, true);
      }
      drain(run);
    }
  } while (endLeftovers(run));
}

function drain(run: Run): void {
  for (let step = takeNext(run.agenda); step; step = takeNext(run.agenda)) {
    (STEPS[step.kind] as (run: Run, step: Step) => void)(run, step);
  }
}

/**
 * An operation that was planned before its case or stage ended still runs, so an instance can come to life too
 * late: it is ended too.
 */
function endLeftovers(run: Run): boolean {
  const leftovers = run.cases
    .filter(hasChanged)
    .flatMap(({ planItems }) => planItems.filter(isLeftOver));
  for (const item of leftovers) {
    const around = item.stage?.state ?? item.caseInstance.state;
    const cause = around === 'completed' ? 'parentCompleted' : 'parentTerminated';
    plan(run, { kind: 'terminate', item, cause });
  }
  if (leftovers.length > 0) drain(run);
  return leftovers.length > 0;
}

const isLeftOver = ({ state, stage, caseInstance }: LivePlanItem): boolean =>
  !isTerminal(state) && (isEnded(caseInstance) || (stage !== undefined && isTerminal(stage.state)));

function finish(run: Run): Result {
  settleFamilies(run.cases, run.root);
  for (const caseInstance of run.cases) {
    recordEnded(run, caseInstance);
    if (hasChanged(caseInstance)) refreshOverviews(run, caseInstance);
  }
  requireSmall(run);
  tellCompletable(run);
  const families = new Map<string, LiveCase[]>([[run.root?.familyId ?? '', []]]);
  for (const live of run.cases) {
    const family = families.get(live.familyId);
    if (family) family.push(live);
    else families.set(live.familyId, [live]);
  }
  const [state = [], ...parted] = families.values();
  return { state: writeState(state), parted: parted.map(writeState), effects: run.effects };
}

/** Hands out the instances that have ended and counts them. */
function recordEnded(run: Run, caseInstance: LiveCase): void {
  if (!hasChanged(caseInstance)) return;
  const counts: Record<string, EndedCounts> = {};
  for (const item of caseInstance.planItems) {
    const { state } = item;
    if (state !== 'completed' && state !== 'terminated' && state !== 'failed') continue;
    const instance = { ...storePlanItem(item), name: item.name };
    const repetitionCounter = counterOf(item) || undefined;
    emit(run, caseInstance, {
      type: 'planItemEnded',
      ...factsOf(item),
      instance,
      ...(repetitionCounter !== undefined && { repetitionCounter }),
    });
    const known = counts[item.planItem.id] ?? caseInstance.endedCounts[item.planItem.id];
    counts[item.planItem.id] = countOneMore(known, state);
  }
  if (Object.keys(counts).length > 0) {
    caseInstance.endedCounts = { ...caseInstance.endedCounts, ...counts };
  }
}

/** The members in the order in which they are always written. */
function countOneMore(known: EndedCounts | undefined, state: keyof EndedCounts): EndedCounts {
  const { completed, terminated, failed } = known ?? {};
  const counts = { completed, terminated, failed };
  counts[state] = (counts[state] ?? 0) + 1;
  return Object.freeze(counts);
}
