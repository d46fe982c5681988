import { CmmnError, type CmmnErrorCode, shown } from '../../basics/cmmn-error.ts';
import {
  isJson,
  isNestedWithin,
  type JsonValue,
  MAX_DEPTH,
  type Variables,
} from '../../basics/json.ts';
import { isReservedName } from '../../expression/known-names.ts';
import { countValue } from '../run/agenda.ts';
import type { Container, LiveCase, LivePlanItem } from '../run/live-case.ts';
import { touch, touchCase } from '../run/live-tree.ts';
import { emit, type Run } from '../run/run.ts';

const own = (variables: Variables | undefined, name: string): JsonValue | undefined =>
  variables !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;

/** A variable as the instance sees it: transient, its own, those of the stages around it, the case's. */
export function readVariable(
  run: Run,
  caseInstance: LiveCase,
  item: LivePlanItem | undefined,
  name: string,
): JsonValue | undefined {
  const transient = own(run.transient, name);
  if (transient !== undefined) return transient;
  if (caseInstance.hiddenOverviews?.has(name)) return undefined;
  if (caseInstance.aggregations.some(({ target }) => target === name)) {
    run.refreshOverviews(run, caseInstance);
  }
  for (let scope = item; scope; scope = scope.stage) {
    const value = own(scope.variables, name);
    if (value !== undefined) return value;
  }
  return own(caseInstance.variables, name);
}

/** All variables that the instance sees, nearer ones hiding those further out. */
export function allVariables(
  run: Run,
  caseInstance: LiveCase,
  item: LivePlanItem | undefined,
): Record<string, JsonValue> {
  if (caseInstance.aggregations.length > 0) run.refreshOverviews(run, caseInstance);
  const scopes: (Variables | undefined)[] = [run.transient];
  for (let scope = item; scope; scope = scope.stage) scopes.push(scope.variables);
  const seen = Object.assign({}, caseInstance.variables, ...scopes.reverse());
  for (const name of caseInstance.hiddenOverviews ?? []) delete seen[name];
  return seen;
}

/** @throws CmmnError `VARIABLE_NAME_RESERVED`, `VARIABLE_NAME_TOO_LONG`, `VARIABLE_TOO_DEEP`, `VARIABLE_INVALID` */
export function checkVariables(run: Run, variables: unknown): void {
  if (variables === null || typeof variables !== 'object' || Array.isArray(variables)) {
    throw new CmmnError('VARIABLE_INVALID', 'Variables come as an object of values by name.');
  }
  for (const [name, value] of Object.entries(variables)) checkVariable(run, name, value);
}

function checkVariable({ limits }: Run, name: string, value: unknown): void {
  const reference = shown(name);
  const refuse = (code: CmmnErrorCode, why: string): never => {
    throw new CmmnError(code, `The variable "${reference}" ${why}.`, { reference });
  };
  if (isReservedName(name)) refuse('VARIABLE_NAME_RESERVED', 'cannot be called so');
  if (name.length > limits.maxVariableNameLength) {
    const most = limits.maxVariableNameLength;
    refuse('VARIABLE_NAME_TOO_LONG', `has a name of more than ${most} characters`);
  }
  if (isJson(value)) return;
  if (isNestedWithin(value, MAX_DEPTH)) refuse('VARIABLE_INVALID', 'holds what JSON cannot hold');
  refuse('VARIABLE_TOO_DEEP', `is nested deeper than ${MAX_DEPTH}`);
}

/** Checks a variable, counts it against the limits of the command and gives it to its holder. */
function assign(
  run: Run,
  holder: Container,
  name: string,
  value: JsonValue,
): { readonly oldValue: JsonValue | undefined; readonly change: 'create' | 'update' } {
  checkVariable(run, name, value);
  run.hasNewVariables = true;
  countValue(run.agenda, value);
  const oldValue = own(holder.variables, name);
  holder.variables = { ...holder.variables, [name]: value };
  return { oldValue, change: oldValue === undefined ? 'create' : 'update' };
}

/** Sets a variable of the case. */
export function setCaseVariable(
  run: Run,
  caseInstance: LiveCase,
  name: string,
  value: JsonValue,
): void {
  const { oldValue, change } = assign(run, caseInstance, name, value);
  noteChange(run, caseInstance, name, change);
  emit(run, caseInstance, { type: 'variableChanged', change, name, value, oldValue });
}

/** Sets variables of the case. */
export function setCaseVariables(
  run: Run,
  caseInstance: LiveCase,
  variables: Variables | undefined,
): void {
  if (!variables) return;
  for (const [name, value] of Object.entries(variables)) {
    setCaseVariable(run, caseInstance, name, value);
  }
}

/** Removes variables of the case. Only on-parts of case file items react to it. */
export function removeCaseVariables(
  run: Run,
  caseInstance: LiveCase,
  names: readonly string[],
): void {
  for (const name of names) {
    if (!Object.hasOwn(caseInstance.variables, name)) continue;
    const { [name]: oldValue, ...others } = caseInstance.variables;
    caseInstance.variables = others;
    touchCase(caseInstance);
    emit(run, caseInstance, { type: 'variableChanged', change: 'delete', name, oldValue });
  }
}

/** Sets a variable of the instance itself. */
export function setLocalVariable(
  run: Run,
  item: LivePlanItem,
  name: string,
  value: JsonValue,
): void {
  const { oldValue, change } = assign(run, item, name, value);
  touch(item);
  emit(run, item.caseInstance, {
    type: 'variableChanged',
    change,
    name,
    value,
    oldValue,
    planItemInstanceId: item.id,
  });
}

/** Removes variables of the instance itself. */
export function removeLocalVariables(run: Run, item: LivePlanItem, names: readonly string[]): void {
  for (const name of names) {
    const oldValue = own(item.variables, name);
    if (oldValue === undefined) continue;
    const { [name]: _, ...others } = item.variables ?? {};
    item.variables = others;
    touch(item);
    emit(run, item.caseInstance, {
      type: 'variableChanged',
      change: 'delete',
      name,
      oldValue,
      planItemInstanceId: item.id,
    });
  }
}

/** Sets variables of the instance itself. */
export function setLocalVariables(
  run: Run,
  item: LivePlanItem,
  variables: Variables | undefined,
): void {
  if (!variables) return;
  for (const [name, value] of Object.entries(variables)) setLocalVariable(run, item, name, value);
}

/**
 * Sets a variable where the instance finds it: on itself or a stage that has it, else on the case. Instances whose
 * variables are aggregated keep them (Flowable).
 */
export function setVariable(run: Run, item: LivePlanItem, name: string, value: JsonValue): void {
  for (let scope: LivePlanItem | undefined = item; scope; scope = scope.stage) {
    const isAggregated = scope.planItem.itemControl.repetitionRule?.aggregations !== undefined;
    if (!isAggregated && own(scope.variables, name) === undefined) continue;
    setLocalVariable(run, scope, name, value);
    return;
  }
  setCaseVariable(run, item.caseInstance, name, value);
}

/** Sets variables that come with a task or plan item. */
export function setVariables(run: Run, item: LivePlanItem, variables: Variables | undefined): void {
  if (!variables) return;
  for (const [name, value] of Object.entries(variables)) setVariable(run, item, name, value);
}

function noteChange(
  run: Run,
  caseInstance: LiveCase,
  name: string,
  kind: 'create' | 'update',
): void {
  touchCase(caseInstance);
  run.touched.add(caseInstance);
  caseInstance.changes.push({ name, kind, heardBy: new Set() });
}
