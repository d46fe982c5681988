import { sameJson } from '../../basics/json.ts';
import type { StoredTask, TaskFacts } from '../../contract/state.ts';
import { constantText, type Expression } from '../../expression/expression.ts';
import type { HumanTask } from '../../model/human-task.ts';
import { parseTimer } from '../../time/timer-expression.ts';

/** The priority of a task whose model says nothing (as in Flowable). */
export const DEFAULT_PRIORITY = 50;

const constants = new WeakMap<HumanTask, TaskFacts>();

/** The constants, with the due date of a task that was opened then. */
function usualFacts(definition: HumanTask, openedAt: string | undefined): TaskFacts {
  const facts = constantsOf(definition);
  const text = definition.dueDate && constantText(definition.dueDate);
  const due = text && openedAt ? parseTimer(text, Date.parse(openedAt)) : undefined;
  return due && due.every === undefined ? { ...facts, dueDate: due.dueAt } : facts;
}

/** Constant texts of the definition: the same for all its tasks, so not stored with each. */
function constantsOf(definition: HumanTask): TaskFacts {
  const known = constants.get(definition);
  if (known) return known;
  const text = (expression: Expression | undefined): string | undefined =>
    (expression && constantText(expression)) || undefined;
  const facts: TaskFacts = {
    description: definition.description ? undefined : definition.documentation,
    assignee: text(definition.assignee),
    owner: text(definition.owner),
    candidateUsers: constantNames(definition.candidateUsers),
    candidateGroups: constantNames(definition.candidateGroups),
    priority: Number(text(definition.priority) ?? DEFAULT_PRIORITY),
    category: text(definition.category),
    formKey: text(definition.formKey),
  };
  constants.set(definition, facts);
  return facts;
}

function constantNames(expressions: readonly Expression[] | undefined): readonly string[] {
  const texts = (expressions ?? []).map(constantText);
  if (texts.includes(undefined)) return [];
  const names = texts.flatMap((text) => text?.split(',') ?? []).map((name) => name.trim());
  return [...new Set(names.filter(Boolean))];
}

const FACTS = [
  'description',
  'assignee',
  'owner',
  'candidateUsers',
  'candidateGroups',
  'priority',
  'dueDate',
  'category',
  'formKey',
] as const satisfies readonly (keyof TaskFacts)[];

/** The facts as they are stored: what is different from the constants. */
export function storeTask(
  facts: TaskFacts,
  definition: HumanTask,
  openedAt: string | undefined,
): StoredTask {
  const usual = usualFacts(definition, openedAt);
  const stored: Record<string, unknown> = {};
  for (const fact of FACTS) {
    if (!sameJson(facts[fact], usual[fact])) stored[fact] = facts[fact] ?? null;
  }
  return stored;
}

/** All facts of a stored task. */
export function loadTask(
  stored: StoredTask,
  definition: HumanTask,
  openedAt: string | undefined,
): TaskFacts {
  const usual = usualFacts(definition, openedAt);
  const { candidateUsers, candidateGroups, priority } = stored;
  const text = (fact: TextFact): string | undefined =>
    stored[fact] === undefined ? usual[fact] : (stored[fact] ?? undefined);
  return {
    description: text('description'),
    assignee: text('assignee'),
    owner: text('owner'),
    candidateUsers: candidateUsers ?? usual.candidateUsers,
    candidateGroups: candidateGroups ?? usual.candidateGroups,
    priority: priority ?? usual.priority,
    dueDate: text('dueDate'),
    category: text('category'),
    formKey: text('formKey'),
  };
}

type TextFact = Exclude<keyof TaskFacts, 'candidateUsers' | 'candidateGroups' | 'priority'>;
