import { CmmnError, shown } from '../../basics/cmmn-error.ts';
import { fitsTask, MAX_CANDIDATES } from '../../basics/model-texts.ts';
import type { NewEffect, PlanItemFacts } from '../../contract/effect.ts';
import type { TaskFacts } from '../../contract/state.ts';
import { toText } from '../../expression/coercion.ts';
import type { Expression } from '../../expression/expression.ts';
import type { CaseModel } from '../../model/case-model.ts';
import type { HumanTask } from '../../model/human-task.ts';
import type { PlanItemTransition } from '../../model/transition.ts';
import { parseTimer } from '../../time/timer-expression.ts';
import type { PlanItemOperation } from '../run/agenda.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { type Behavior, emit, factsOf, plan, type Run } from '../run/run.ts';
import { DEFAULT_PRIORITY } from '../run/stored-task.ts';
import { evaluate, evaluateText, requireShortText } from '../variables/expression-scope.ts';
import { evaluateKey, requireKey } from '../variables/key-text.ts';
import { setNamedVariable } from '../variables/named-variable.ts';
import { isBlocking } from './task.ts';

type Tell = (
  facts: PlanItemFacts,
  user: string | undefined,
  operation: PlanItemOperation,
) => NewEffect;

const suspended: Tell = (facts) => ({ type: 'taskSuspended', ...facts });
const resumed: Tell = (facts) => ({ type: 'taskResumed', ...facts });
const cancelled =
  (reason: 'exit' | 'terminate' | 'fault'): Tell =>
  (facts, _, { cause, criterionId }) => ({
    type: 'taskCancelled',
    ...facts,
    reason,
    cause,
    criterionId,
  });

/** The end of an open task, by the transition of its plan item. */
const TELL: Readonly<Partial<Record<PlanItemTransition, Tell>>> = {
  complete: (facts, completedBy) => ({ type: 'taskCompleted', ...facts, completedBy }),
  exit: cancelled('exit'),
  terminate: cancelled('terminate'),
  fault: cancelled('fault'),
  suspend: suspended,
  parentSuspend: suspended,
  resume: resumed,
  parentResume: resumed,
};

/** A human task opens a task for a person when it starts (CMMN 1.1, 5.4). */
export const humanTask: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    if (definition.type !== 'humanTask') return;
    if (!isBlocking(run, item)) return plan(run, { kind: 'complete', item });
    item.task = readTaskFacts(run, item, definition);
    setNamedVariable(run, item, definition.taskIdVariableName, item.id);
    const { excludeCompletersOf } = definition;
    emit(run, item.caseInstance, {
      ...{ type: 'taskCreated', ...factsOf(item), task: item.task },
      ...(excludeCompletersOf && { excludeCompletersOf }),
      ...(isExcluding(item.caseInstance.model, definition) && { isExcluding: true }),
    });
  },
  onTransition(run, item, transition, operation) {
    const tell = item.task && TELL[transition];
    if (tell) emit(run, item.caseInstance, tell(factsOf(item), run.environment.user, operation));
  },
  onTrigger(run, item) {
    plan(run, { kind: 'complete', item });
  },
};

const excluding = new WeakMap<CaseModel, ReadonlySet<string>>();

/** Whether another task of the case excludes who completes this one. */
function isExcluding(model: CaseModel, { id }: HumanTask): boolean {
  let keys = excluding.get(model);
  if (!keys) {
    const tasks = model.planItems.values().map(({ definition }) => definition);
    keys = new Set(
      tasks.flatMap((task) => (task.type === 'humanTask' ? (task.excludeCompletersOf ?? []) : [])),
    );
    excluding.set(model, keys);
  }
  return keys.has(id);
}

function readTaskFacts(run: Run, item: LivePlanItem, definition: HumanTask): TaskFacts {
  const { caseInstance } = item;
  const text = (expression: Expression | undefined): string | undefined =>
    evaluateText(run, expression, caseInstance, item);
  const candidateUsers = readNames(run, item, definition.candidateUsers);
  const candidateGroups = readNames(run, item, definition.candidateGroups);
  if (!fitsTask([candidateUsers, candidateGroups, definition.excludeCompletersOf ?? []])) {
    throw unreadable(item, `a task has at most ${MAX_CANDIDATES} candidates and excluded tasks`);
  }
  return {
    description: definition.description ? text(definition.description) : definition.documentation,
    assignee: evaluateKey(run, definition.assignee, item),
    owner: evaluateKey(run, definition.owner, item),
    candidateUsers,
    candidateGroups,
    priority: readPriority(item, text(definition.priority)),
    dueDate: readDueDate(run, item, text(definition.dueDate)),
    category: text(definition.category),
    formKey: text(definition.formKey),
  };
}

/** Every expression gives a name, a list of names, or names separated by commas. */
function readNames(
  run: Run,
  item: LivePlanItem,
  expressions: readonly Expression[] | undefined,
): readonly string[] {
  const names = new Set<string>();
  for (const expression of expressions ?? []) {
    const value = evaluate(run, expression, item.caseInstance, item);
    const parts: readonly unknown[] = Array.isArray(value) ? value : toText(value).split(',');
    for (const part of parts) {
      const name = toText(part).trim();
      if (!name || names.has(name)) continue;
      requireShortText(run, expression, name, item.caseInstance, item);
      requireKey(expression, name, item);
      names.add(name);
    }
  }
  return [...names];
}

function readPriority(item: LivePlanItem, text: string | undefined): number {
  if (text === undefined) return DEFAULT_PRIORITY;
  const priority = Number(text);
  if (Number.isSafeInteger(priority)) return priority;
  throw unreadable(item, `the priority "${shown(text)}" is not a whole number`);
}

/** An instant or date, or a duration from now (ISO 8601). */
function readDueDate(run: Run, item: LivePlanItem, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const timer = parseTimer(text, run.environment.now);
  if (timer && timer.every === undefined) return timer.dueAt;
  throw unreadable(item, `the due date "${shown(text)}" is neither date nor duration`);
}

const unreadable = (item: LivePlanItem, what: string): CmmnError =>
  new CmmnError('EXPRESSION_ERROR', `"${item.name}": ${what}.`, {
    planItemInstanceId: item.id,
    elementId: item.planItem.id,
  });
