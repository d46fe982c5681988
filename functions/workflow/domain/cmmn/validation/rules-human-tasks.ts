import { fitsKey, MAX_KEY_BYTES } from '../basics/key-text.ts';
import type { Report } from '../basics/problem.ts';
import type { Expression } from '../expression/expression.ts';
import type { HumanTask } from '../model/human-task.ts';
import { isDuration, parseInstant } from '../time/iso-8601.ts';
import { asDefinition, type CaseOutline } from './case-outline.ts';

/** Human tasks (CMMN 1.1, 5.4) and what Flowable's attributes say about them. */
export function checkHumanTasks({ definitions, planItems }: CaseOutline, report: Report): void {
  const named = new Set(planItems.flatMap(({ item, definition }) => (item.name ? definition : [])));
  const keys = new Set(definitions.flatMap(({ id, type }) => (type === 'humanTask' ? [id] : [])));
  for (const definition of definitions) {
    if (definition.type !== 'humanTask') continue;
    if (!definition.name && !named.has(definition)) {
      const message = 'Neither the task nor its plan item has a name.';
      report.add('HUMAN_TASK_NAME_MISSING', message, asDefinition(definition));
    }
    checkAssignment(definition, report);
    checkNames(definition, report);
    checkConstants(definition, report);
    checkExclusions(definition, keys, report);
  }
}

function checkAssignment(task: HumanTask, report: Report): void {
  const { assignee, candidateUsers, candidateGroups, formKey } = task;
  if (assignee || candidateUsers?.length || candidateGroups?.length || formKey) return;
  const message = 'Without assignee and candidates nobody but administrators can see the task.';
  report.add('HUMAN_TASK_UNASSIGNABLE', message, asDefinition(task));
}

function checkNames(task: HumanTask, report: Report): void {
  const { assignee, owner, candidateUsers = [], candidateGroups = [] } = task;
  const names = [assignee, owner, ...candidateUsers, ...candidateGroups];
  if (names.every((name) => fitsKey(constant(name)?.trim() ?? ''))) return;
  const message = `The name of a person or group has at most ${MAX_KEY_BYTES} bytes.`;
  report.add('ASSIGNMENT_TOO_LONG', message, asDefinition(task));
}

/** An unresolved key would exclude no user. */
function checkExclusions(task: HumanTask, keys: ReadonlySet<string>, report: Report): void {
  for (const key of task.excludeCompletersOf ?? []) {
    if (keys.has(key)) continue;
    const message = `excludeCompletersOf names "${key}", which is no human task of the case.`;
    report.add('EXCLUDED_TASK_UNRESOLVED', message, asDefinition(task));
  }
}

const constant = (expression: Expression | undefined): string | undefined =>
  expression?.language === 'juel' && !/[$#]\{/.test(expression.text) ? expression.text : undefined;

function checkConstants(task: HumanTask, report: Report): void {
  const priority = constant(task.priority);
  if (priority !== undefined && !/^-?\d+$/.test(priority)) {
    report.add('PRIORITY_INVALID', `"${priority}" is not a whole number.`, asDefinition(task));
  }
  const dueDate = constant(task.dueDate);
  if (dueDate === undefined || isDuration(dueDate) || parseInstant(dueDate) !== undefined) return;
  const message = `"${dueDate}" is neither date nor duration (ISO 8601).`;
  report.add('DUE_DATE_INVALID', message, asDefinition(task));
}
