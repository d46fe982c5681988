import { shown } from '../../cmmn/basics/cmmn-error.ts';
import type { Variables } from '../../cmmn/basics/json.ts';
import { fitsTask, MAX_CANDIDATES, MAX_MODEL_TEXT } from '../../cmmn/basics/model-texts.ts';
import { toText } from '../../cmmn/expression/coercion.ts';
import type { Expression } from '../../cmmn/expression/expression.ts';
import { parseTimer } from '../../cmmn/time/timer-expression.ts';
import { ProcessError } from '../model/process-error.ts';
import type { UserTaskModel } from '../model/process-model.ts';
import type { OpenedTask } from '../model/process-state.ts';
import type { Expressions } from './expressions.ts';

const DEFAULT_PRIORITY = 50;
/** Names become parts of keys, in bytes. */
const MAX_NAME_BYTES = 255;

/** The task that an execution of a user task opens. @throws ProcessError `EXPRESSION_ERROR` */
export function openedTask(
  model: UserTaskModel,
  activityId: string,
  expressions: Expressions,
  locals: Variables,
  now: number,
): OpenedTask {
  const text = (expression: Expression | undefined): string | undefined => {
    const value = expressions.text(expression, activityId, locals);
    if (value === undefined || value.length <= MAX_MODEL_TEXT) return value;
    throw unreadable(activityId, `a text has more than ${MAX_MODEL_TEXT} characters`);
  };
  const name = (expression: Expression | undefined): string | undefined => {
    const value = text(expression);
    return value === undefined ? undefined : requireName(value, activityId);
  };
  const names = (expression: Expression | undefined): string[] => {
    if (!expression) return [];
    const value = expressions.value(expression, activityId, locals);
    const parts: readonly unknown[] = Array.isArray(value) ? value : toText(value).split(',');
    const found = parts.map((part) => toText(part).trim()).filter((part) => part !== '');
    return [...new Set(found.map((part) => requireName(part, activityId)))];
  };
  const candidateUsers = names(model.candidateUsers);
  const candidateGroups = names(model.candidateGroups);
  if (!fitsTask([candidateUsers, candidateGroups, model.excludeCompletersOf ?? []])) {
    throw unreadable(activityId, `are more than ${MAX_CANDIDATES} candidates and excluded tasks`);
  }
  return {
    name: text(model.name) ?? activityId,
    description: text(model.description),
    assignee: name(model.assignee),
    owner: name(model.owner),
    candidateUsers,
    candidateGroups,
    priority: priorityOf(text(model.priority), activityId),
    dueDate: dueDateOf(text(model.dueDate), activityId, now),
    formKey: text(model.formKey),
    category: text(model.category),
  };
}

function requireName(name: string, activityId: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  throw unreadable(activityId, `the name "${shown(name)}" has more than ${MAX_NAME_BYTES} bytes`);
}

function priorityOf(text: string | undefined, activityId: string): number {
  const priority = text === undefined ? DEFAULT_PRIORITY : Number(text);
  if (Number.isInteger(priority)) return priority;
  throw unreadable(activityId, `the priority "${shown(text ?? '')}" is not a whole number`);
}

/** An instant or date, or a duration from now (ISO 8601). */
function dueDateOf(text: string | undefined, activityId: string, now: number): string | undefined {
  if (text === undefined) return undefined;
  const timer = parseTimer(text, now);
  if (timer && timer.every === undefined) return timer.dueAt;
  throw unreadable(activityId, `the due date "${shown(text)}" is neither date nor duration`);
}

const unreadable = (elementId: string, why: string): ProcessError =>
  new ProcessError('EXPRESSION_ERROR', `Of ${elementId} ${why}.`, { elementId });
