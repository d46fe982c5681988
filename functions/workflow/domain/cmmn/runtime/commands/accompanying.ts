import { CmmnError, shown } from '../../basics/cmmn-error.ts';
import { jsonSize } from '../../basics/json.ts';
import { fitsKey, MAX_KEY_BYTES } from '../../basics/key-text.ts';
import type { Command, TaskChange } from '../../contract/command.ts';
import { wrongWithForm } from '../../contract/command-schema.ts';
import type { Limits } from '../../contract/limits.ts';
import { isInstant } from '../../time/iso-8601.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { touch } from '../run/live-tree.ts';
import type { Run } from '../run/run.ts';
import { checkVariables } from '../variables/variables.ts';

/** Members of commands that hosts build keys from. */
const KEYS: readonly string[] = ['caseInstanceId', 'tenantId'];

/** A command has the form that its type says, and no text in it is too long. @throws CmmnError `COMMAND_INVALID` */
export function requireForm(command: Command, { maxTextLength }: Limits): void {
  const why = wrongWithForm(command);
  if (why) throw new CmmnError('COMMAND_INVALID', `The command is invalid: ${why}.`);
  for (const [name, value] of Object.entries(command)) {
    if (typeof value !== 'string') continue;
    const isKey = KEYS.includes(name) || (name === 'name' && command.type === 'signal');
    if (isKey ? fitsKey(value) : value.length <= maxTextLength) continue;
    const most = isKey ? `${MAX_KEY_BYTES} bytes` : `${maxTextLength} characters`;
    throw new CmmnError('COMMAND_INVALID', `"${shown(name)}" has more than ${most}.`);
  }
}

/** Members of commands that hold variables. */
const VARIABLE_SETS = [
  'variables',
  'localVariables',
  'transientVariables',
  'childVariables',
  'processVariables',
] as const;

/** Checks the variables of a command and their size. @throws CmmnError `VARIABLES_TOO_LARGE` and others */
export function requireVariables(run: Run, command: Command): void {
  const { limits } = run;
  const sets: Readonly<Record<string, unknown>> = { ...command };
  let size = 0;
  for (const name of VARIABLE_SETS) {
    const variables = sets[name];
    if (variables === undefined) continue;
    checkVariables(run, variables);
    size += jsonSize(variables);
  }
  if (size <= limits.maxCommandVariables) return;
  const message = `The variables of the command are ${size} characters of JSON; ${limits.maxCommandVariables} are allowed.`;
  throw new CmmnError('VARIABLES_TOO_LARGE', message);
}

/** Takes over what the host has changed about open tasks. @throws CmmnError `COMMAND_INVALID` */
export function applyTaskChanges(run: Run, { tasks }: Command): void {
  if (!tasks) return;
  for (const { planItems } of run.cases) {
    for (const item of planItems) {
      const change = Object.hasOwn(tasks, item.id) ? tasks[item.id] : undefined;
      if (!change || !item.task) continue;
      changeTask(item, item.task, change);
      run.hasNewTexts = true;
    }
  }
}

function changeTask(
  item: LivePlanItem,
  facts: NonNullable<LivePlanItem['task']>,
  { assignee, owner, dueDate, priority }: TaskChange,
): void {
  const isName = (text: unknown): boolean =>
    text === undefined ||
    text === null ||
    (typeof text === 'string' && text !== '' && fitsKey(text));
  const isDue = dueDate === undefined || dueDate === null || isInstant(dueDate);
  const isPriority = priority === undefined || Number.isSafeInteger(priority);
  if (!isName(assignee) || !isName(owner) || !isDue || !isPriority) {
    const message = `The facts of the task "${item.name}" are not such as a task has.`;
    throw new CmmnError('COMMAND_INVALID', message, { planItemInstanceId: item.id });
  }
  const changed = <Value>(value: Value | null | undefined, before: Value | undefined) =>
    value === undefined ? before : (value ?? undefined);
  item.task = {
    ...facts,
    assignee: changed(assignee, facts.assignee),
    owner: changed(owner, facts.owner),
    dueDate: changed(dueDate, facts.dueDate),
    priority: priority ?? facts.priority,
  };
  touch(item);
}
