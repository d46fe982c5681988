import type { ModdleElement } from 'cmmn-moddle';
import type { NameExpression } from '../expression/expression.ts';
import {
  type AggregatedVariable,
  type ItemControl,
  PARENT_COMPLETION_TYPES,
  type ParentCompletionType,
  type ReactivationRule,
  type RepetitionRule,
  type Rule,
  type VariableAggregation,
} from '../model/item-control.ts';
import { type ElementReader, elementIn } from './element-reader.ts';

const DEFAULT_COUNTER = 'repetitionCounter';

/** Reads a plan item control (CMMN 1.1, 5.4); problems name the owner when the control has no id. */
export function readItemControl(
  element: ModdleElement,
  reader: ElementReader,
  owner: ModdleElement = element,
): ItemControl {
  const rule = (name: string): Rule | undefined =>
    readRule(elementIn(element, name), owner, reader);
  const repetition = elementIn(element, 'repetitionRule');
  const [neutral] = reader.extensions(element, 'completionNeutralRule');
  return {
    requiredRule: rule('requiredRule'),
    manualActivationRule: rule('manualActivationRule'),
    repetitionRule: repetition && readRepetitionRule(repetition, owner, reader),
    completionNeutralRule: neutral && readExtensionRule(neutral, owner, reader),
    parentCompletionRule: readParentCompletionRule(element, owner, reader),
    reactivationRule: readReactivationRule(element, 'reactivationRule', reader),
  };
}

function readRule(
  element: ModdleElement | undefined,
  owner: ModdleElement,
  reader: ElementReader,
): Rule | undefined {
  if (!element) return undefined;
  return { condition: reader.expressionElement(elementIn(element, 'condition'), owner) };
}

/** A rule of an extension: its condition is a child element, or its text. */
function readExtensionRule(
  element: ModdleElement,
  owner: ModdleElement,
  reader: ElementReader,
): Rule {
  const child = element.$children?.find(({ $type }) => /(?:^|:)condition$/i.test($type));
  const text = child?.$body ?? element.$body;
  return { condition: text?.trim() ? reader.expression(text, undefined, owner) : undefined };
}

function readParentCompletionRule(
  element: ModdleElement,
  owner: ModdleElement,
  reader: ElementReader,
): ParentCompletionType | undefined {
  const [rule] = reader.extensions(element, 'parentCompletionRule');
  if (!rule) return undefined;
  const text = reader.attribute(rule, 'type') ?? 'default';
  const known = PARENT_COMPLETION_TYPES.find((type) => type === text);
  if (!known) {
    const message = `The parent completion rule "${text}" is not known.`;
    reader.problem('PARENT_COMPLETION_TYPE_UNKNOWN', message, owner);
  }
  return known;
}

function readRepetitionRule(
  element: ModdleElement,
  owner: ModdleElement,
  reader: ElementReader,
): RepetitionRule {
  const aggregations = reader
    .extensions(element, 'variableAggregation')
    .flatMap((aggregation) => readAggregation(aggregation, owner, reader) ?? []);
  return {
    condition: reader.expressionElement(elementIn(element, 'condition'), owner),
    counterVariable: reader.attribute(element, 'counterVariable') ?? DEFAULT_COUNTER,
    ignoreCounterVariable: reader.flag(element, 'ignoreCounterVariable'),
    maxInstanceCount: readMaxInstanceCount(element, owner, reader),
    collection: readCollection(element, reader),
    elementVariable: reader.attribute(element, 'elementVariable'),
    elementIndexVariable: reader.attribute(element, 'elementIndexVariable'),
    aggregations: aggregations.length > 0 ? aggregations : undefined,
  };
}

/** The name of a variable is short for the expression that reads it. */
function readCollection(
  element: ModdleElement,
  reader: ElementReader,
): RepetitionRule['collection'] {
  const text = reader.attribute(element, 'collectionVariable')?.trim();
  if (text === undefined) return undefined;
  return reader.expression(/^(?:=|.*[$#]\{)/.test(text) ? text : `\${var:get('${text}')}`);
}

function readMaxInstanceCount(
  element: ModdleElement,
  owner: ModdleElement,
  reader: ElementReader,
): number | undefined {
  const text = reader.attribute(element, 'maxInstanceCount');
  if (text === undefined || text === 'unlimited' || text === '-1') return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  const message = `The maximum number of instances "${text}" is neither a positive number nor "unlimited".`;
  reader.problem('REPETITION_MAX_INSTANCE_COUNT_INVALID', message, owner);
  return undefined;
}

/** Variable aggregation (extension of Flowable). */
function readAggregation(
  element: ModdleElement,
  owner: ModdleElement,
  reader: ElementReader,
): VariableAggregation | undefined {
  const target = readTarget(element, reader);
  const variables = (element.$children ?? []).flatMap(
    (variable) => readAggregatedVariable(variable, reader) ?? [],
  );
  const isCustom =
    reader.attribute(element, 'class') ?? reader.attribute(element, 'delegateExpression');
  if (!target || variables.length === 0 || isCustom) {
    const message = 'A variable aggregation needs a target and at least one variable.';
    reader.problem('AGGREGATION_INVALID', message, owner);
    return undefined;
  }
  return {
    target,
    variables,
    createOverviewVariable: reader.flag(element, 'createOverviewVariable'),
    storeAsTransient: reader.flag(element, 'storeAsTransientVariable'),
  };
}

function readAggregatedVariable(
  element: ModdleElement,
  reader: ElementReader,
): AggregatedVariable | undefined {
  const sourceName = reader.attribute(element, 'source');
  const source = sourceName ? undefined : reader.expressionAttribute(element, 'sourceExpression');
  const target = readTarget(element, reader) ?? sourceName;
  return target && (sourceName || source) ? { sourceName, source, target } : undefined;
}

const readTarget = (element: ModdleElement, reader: ElementReader): NameExpression | undefined =>
  reader.expressionAttribute(element, 'targetExpression') ?? reader.attribute(element, 'target');

/** Reactivation rule of a plan item, or the default one of the listener (extension of Flowable). */
export function readReactivationRule(
  element: ModdleElement,
  name: 'reactivationRule' | 'defaultReactivationRule',
  reader: ElementReader,
): ReactivationRule | undefined {
  const [rule] = reader.extensions(element, name);
  if (!rule) return undefined;
  const condition = (attribute: string): Rule | undefined => {
    const expression = reader.expressionAttribute(rule, attribute);
    return expression && { condition: expression };
  };
  return {
    activate: condition('activateCondition'),
    ignore: condition('ignoreCondition'),
    byDefault: condition('defaultCondition'),
  };
}
