import type { JsonValue } from '../../basics/json.ts';
import { countValue } from '../run/agenda.ts';
import type { Container, LiveCase, LivePlanItem } from '../run/live-case.ts';
import { touch, touchCase } from '../run/live-tree.ts';
import { emit, type Run } from '../run/run.ts';
import {
  checkVariables,
  removeCaseVariables,
  setCaseVariable,
  setLocalVariable,
  setVariable,
} from './variables.ts';

const has = ({ variables }: Container, name: string): boolean =>
  variables !== undefined && Object.hasOwn(variables, name);

/** Sets a variable around an instance: as the stage that holds it would, or on the case. */
export function setVariableAround(
  run: Run,
  { stage, caseInstance }: LivePlanItem,
  name: string,
  value: JsonValue,
): void {
  if (stage) setVariable(run, stage, name, value);
  else setCaseVariable(run, caseInstance, name, value);
}

/** The stage, the nearest one around it, or the case, that has the variable; undefined: none has. */
export function holderOf(
  caseInstance: LiveCase,
  stage: LivePlanItem | undefined,
  name: string,
): Container | undefined {
  for (let scope = stage; scope; scope = scope.stage) {
    if (has(scope, name)) return scope;
  }
  return has(caseInstance, name) ? caseInstance : undefined;
}

/** Sets a derived variable: its changes raise no listener. @throws CmmnError `VARIABLE_TOO_DEEP` */
export function setDerivedVariable(
  run: Run,
  holder: Container,
  name: string,
  value: JsonValue,
): void {
  if (!holder.isCase) {
    setLocalVariable(run, holder, name, value);
    return;
  }
  checkVariables(run, { [name]: value });
  run.hasNewVariables = true;
  countValue(run.agenda, value);
  const oldValue = has(holder, name) ? holder.variables[name] : undefined;
  holder.variables = { ...holder.variables, [name]: value };
  touchCase(holder);
  emit(run, holder, { type: 'variableChanged', change: 'update', name, value, oldValue });
}

/** Removes a variable from what holds it. */
export function removeVariable(run: Run, holder: Container | undefined, name: string): void {
  if (!holder) return;
  if (holder.isCase) {
    removeCaseVariables(run, holder, [name]);
    return;
  }
  const { [name]: oldValue, ...others } = holder.variables ?? {};
  holder.variables = others;
  touch(holder);
  const { id: planItemInstanceId, caseInstance } = holder;
  emit(run, caseInstance, {
    type: 'variableChanged',
    change: 'delete',
    name,
    oldValue,
    planItemInstanceId,
  });
}
