import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { isReservedName } from '../../cmmn/expression/known-names.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import type { EvaluationModel, RequestModel } from '../model/process-model.ts';
import { extensionOf, resultVariableOf } from './dialects.ts';
import type { ProcessReport } from './report.ts';

/** What `type` is of a service task that sends a message. */
const SENDING = 'send-event';
/** Names of services become part of messages, and are compared by those who listen. */
const SERVICE = /^[A-Za-z][\w.-]{0,99}$/;

const isSending = (task: XmlElement): boolean => extensionOf(task, 'type') === SENDING;

/** Service tasks evaluate an expression or ask for a service by a message, and do nothing else. */
export function checkService(task: XmlElement, report: ProcessReport): void {
  const has = (name: string): boolean => extensionOf(task, name) !== undefined;
  const isForeign =
    ['class', 'delegateExpression'].some(has) || task.attributes.implementation !== undefined;
  if (!isForeign && isSending(task) && !has('expression') && resultVariableOf(task) === undefined) {
    checkRequest(task, report);
    return;
  }
  if (
    !isForeign &&
    has('expression') &&
    !['type', 'topic'].some(has) &&
    inputs(task).length === 0
  ) {
    report.expression(extensionOf(task, 'expression') ?? '', task);
    checkVariable(resultVariableOf(task), task, report);
    return;
  }
  const message =
    'Service tasks evaluate an expression (flowable:expression), or send a message (flowable:type="send-event" with flowable:topic), and do nothing else.';
  report.add('SERVICE_TASK_UNSUPPORTED', message, task);
}

function checkRequest(task: XmlElement, report: ProcessReport): void {
  const topic = extensionOf(task, 'topic');
  if (topic === undefined || !SERVICE.test(topic)) {
    const message =
      'flowable:topic must name the service: a letter, then letters, digits, ., _ and -, 100 at most.';
    report.add('SERVICE_TASK_UNSUPPORTED', message, task);
  }
  for (const { attributes } of inputs(task)) {
    const { source, sourceExpression, target } = attributes;
    const isComplete = target && (source === undefined) !== (sourceExpression === undefined);
    if (isComplete && !isForbidden(target)) continue;
    const message =
      'An input needs a target, and either a source (a variable) or a sourceExpression.';
    report.add('SERVICE_TASK_UNSUPPORTED', message, task);
  }
}

/** The engine keeps some names for itself, also in the language of expressions. */
export function checkVariable(
  name: string | undefined,
  element: XmlElement,
  report: ProcessReport,
): void {
  if (name === undefined || !isForbidden(name)) return;
  report.add('VARIABLE_INVALID', `No variable can be called "${shown(name)}".`, element);
}

const isForbidden = (name: string): boolean =>
  isReservedName(name) || name === 'execution' || name in {};

const inputs = (task: XmlElement): readonly XmlElement[] =>
  childrenNamed(task, 'extensionElements').flatMap((extensions) => childrenNamed(extensions, 'in'));

/** What a service task does: one of both. */
export interface Service {
  readonly evaluation?: EvaluationModel;
  readonly request?: RequestModel;
}

/** What a service task does, once it has been checked. */
export function readService(task: XmlElement, report: ProcessReport): Service {
  if (!isSending(task)) return { evaluation: readEvaluation(task, report) };
  const read = ({ attributes }: XmlElement) => ({
    target: attributes.target ?? '',
    value: report.expression(attributes.sourceExpression ?? `\${${attributes.source}}`, task),
  });
  return { request: { service: extensionOf(task, 'topic') ?? '', inputs: inputs(task).map(read) } };
}

function readEvaluation(task: XmlElement, report: ProcessReport): EvaluationModel {
  const resultVariable = resultVariableOf(task);
  return {
    expression: report.expression(extensionOf(task, 'expression') ?? '', task),
    ...(resultVariable && { resultVariable }),
  };
}
