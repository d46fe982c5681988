import { CmmnError } from '../../basics/cmmn-error.ts';
import type { JsonValue } from '../../basics/json.ts';
import { toText } from '../../expression/coercion.ts';
import {
  constantText,
  type Expression,
  evaluateExpression,
  toJson,
} from '../../expression/expression.ts';
import { HostObject, type Value } from '../../expression/host-object.ts';
import type { ExpressionScope } from '../../expression/scope.ts';
import { countExpressionSteps, countText } from '../run/agenda.ts';
import { completedBefore } from '../run/completed-before.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { caseInstanceObject, planItemInstanceObject, taskObject } from './expression-objects.ts';
import { planItemInstancesObject } from './plan-item-query.ts';
import { allVariables, readVariable } from './variables.ts';

/** What evaluating an expression may do beyond reading. */
export interface ScopeOptions {
  /** `setVariable` works: in expression tasks and lifecycle listeners only. */
  readonly mayWrite?: boolean;
  /** How `cmmn:isStageCompletable()` is answered here. */
  readonly isStageCompletable?: () => boolean;
}

/** Where an expression is evaluated: a case, or a plan item instance of it. */
class InstanceScope implements ExpressionScope {
  readonly run: Run;
  readonly caseInstance: LiveCase;
  readonly item: LivePlanItem | undefined;
  readonly options: ScopeOptions;

  constructor(
    run: Run,
    caseInstance: LiveCase,
    item: LivePlanItem | undefined,
    options: ScopeOptions,
  ) {
    this.run = run;
    this.caseInstance = caseInstance;
    this.item = item;
    this.options = options;
  }

  get at(): string {
    return this.run.at;
  }

  resolve(name: string): Value | undefined {
    const { run, caseInstance, item, options } = this;
    switch (name) {
      case 'caseInstance':
        return caseInstanceObject(run, caseInstance, options);
      case 'planItemInstance':
        return item ? planItemInstanceObject(run, item, options) : undefined;
      case 'planItemInstances':
        this.spend(caseInstance.planItems.length);
        return planItemInstancesObject(caseInstance, item);
      case 'task':
        return item?.task ? taskObject(item) : undefined;
      default:
        return this.#variableOrInitiator(name);
    }
  }

  /** The initiator is known even without a variable of that name. */
  #variableOrInitiator(name: string): JsonValue | undefined {
    const value = this.variable(name);
    if (value !== undefined || name !== 'initiator') return value;
    return this.caseInstance.source.startedBy ?? null;
  }

  variable(name: string): JsonValue | undefined {
    return readVariable(this.run, this.caseInstance, this.item, name);
  }

  variables(): Record<string, JsonValue> {
    return allVariables(this.run, this.caseInstance, this.item);
  }

  spend(steps: number): void {
    countExpressionSteps(this.run.agenda, steps);
  }

  call(prefix: string, name: string): Value | undefined {
    if (prefix === '' && name === 'now') return this.run.at;
    if (prefix !== 'cmmn') return undefined;
    if (name === 'isStageCompletable') return this.#isStageCompletable();
    if (name === 'isPlanItemCompleted') return this.item ? completedBefore(this.item) : false;
    return undefined;
  }

  #isStageCompletable(): boolean {
    if (this.options.isStageCompletable) return this.options.isStageCompletable();
    const { item, caseInstance } = this;
    const stage = item?.planItem.isStage ? item : item?.stage;
    return (stage ?? caseInstance).completable ?? false;
  }
}

/** Evaluates an expression of the model. @throws CmmnError `EXPRESSION_ERROR` */
export function evaluate(
  run: Run,
  expression: Expression,
  caseInstance: LiveCase,
  item?: LivePlanItem,
  options: ScopeOptions = {},
): Value {
  try {
    return evaluateExpression(expression, new InstanceScope(run, caseInstance, item, options));
  } catch (error) {
    throw expressionError(expression, error, caseInstance, item);
  }
}

/** The refusal of a command because an expression of the model cannot be evaluated. */
export function expressionError(
  { text }: Expression,
  error: unknown,
  caseInstance: LiveCase,
  item?: LivePlanItem,
): CmmnError {
  if (error instanceof CmmnError) return error;
  const elementId = item?.planItem.id ?? caseInstance.model.definition.planModel.id;
  return new CmmnError(
    'EXPRESSION_ERROR',
    `${text} at "${elementId}": ${(error as Error).message}`,
    {
      caseInstanceId: caseInstance.id,
      planItemInstanceId: item?.id,
      elementId,
      expression: text,
    },
    error,
  );
}

/** The value as a variable can hold it. */
export const evaluateJson = (
  run: Run,
  expression: Expression,
  caseInstance: LiveCase,
  item?: LivePlanItem,
  options?: ScopeOptions,
): JsonValue => {
  const value = evaluate(run, expression, caseInstance, item, options);
  return value instanceof HostObject ? null : toJson(value);
};

/** The value as text; undefined for null, absent and empty ones. */
export function evaluateText(
  run: Run,
  expression: Expression | undefined,
  caseInstance: LiveCase,
  item?: LivePlanItem,
): string | undefined {
  if (!expression) return undefined;
  const text = toText(evaluate(run, expression, caseInstance, item)) || undefined;
  if (text) requireShortText(run, expression, text, caseInstance, item);
  return text;
}

/** A text that an expression has given is short enough to be kept. @throws CmmnError `EXPRESSION_ERROR`, `CASE_TOO_LARGE` */
export function requireShortText(
  run: Run,
  expression: Expression,
  { length }: string,
  caseInstance: LiveCase,
  item?: LivePlanItem,
): void {
  if (constantText(expression) !== undefined) return;
  const { maxTextLength } = run.limits;
  if (length > maxTextLength) {
    const error = new Error(`a text of ${length} characters; ${maxTextLength} are allowed`);
    throw expressionError(expression, error, caseInstance, item);
  }
  countText(run.agenda, length);
  run.hasNewTexts = true;
}

/**
 * Whether a rule of a plan item holds (CMMN 1.1, 5.4): true without a condition; else the condition must be
 * true, or the text "true".
 */
export function ruleHolds(
  run: Run,
  rule: { readonly condition?: Expression } | undefined,
  caseInstance: LiveCase,
  item?: LivePlanItem,
): boolean {
  if (!rule) return false;
  return rule.condition ? isTrue(evaluate(run, rule.condition, caseInstance, item)) : true;
}

/** Whether a condition outside of a sentry is true. */
export const isTrue = (value: Value): boolean =>
  value === true || (typeof value === 'string' && value.trim().toLowerCase() === 'true');
