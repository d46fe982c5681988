import type { ModdleElement } from 'cmmn-moddle';
import type { Expression } from '../expression/expression.ts';
import type { CaseTask, DecisionTask, ProcessTask } from '../model/calling-task.ts';
import type { ParameterMapping } from '../model/definition.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';
import type { TaskBasics } from './read-basics.ts';

/** The attribute or, if there is none, the expression element of the same meaning. */
function readCallee(
  element: ModdleElement,
  name: 'caseRef' | 'processRef' | 'decisionRef',
  code: 'CASE_REF_MISSING' | 'PROCESS_REF_MISSING' | 'DECISION_REF_MISSING',
  reader: ElementReader,
): Expression {
  const expression =
    reader.expressionAttribute(element, name) ??
    reader.expressionElement(elementIn(element, `${name}Expression`), element) ??
    readDecisionTableReference(element, name, reader);
  if (!expression) reader.problem(code, 'The task does not say what it calls.', element);
  return expression ?? reader.expression('');
}

/** Flowable's older form: a field extension `decisionTableReferenceKey`. */
function readDecisionTableReference(
  element: ModdleElement,
  name: string,
  reader: ElementReader,
): Expression | undefined {
  if (name !== 'decisionRef') return undefined;
  const field = reader
    .extensions(element, 'field')
    .find((candidate) => candidate.name === 'decisionTableReferenceKey');
  const text = field?.$children?.[0]?.$body ?? (field?.stringValue as string | undefined);
  return text ? reader.expression(text) : undefined;
}

/** Case task (CMMN 1.1, 5.4). */
export function readCaseTask(
  element: ModdleElement,
  basics: TaskBasics,
  reader: ElementReader,
): CaseTask {
  return {
    type: 'caseTask',
    ...basics,
    ...readCall(element, reader),
    caseRef: readCallee(element, 'caseRef', 'CASE_REF_MISSING', reader),
    caseInstanceName: reader.expressionAttribute(element, 'caseInstanceName'),
  };
}

/** Process task (CMMN 1.1, 5.4). */
export function readProcessTask(
  element: ModdleElement,
  basics: TaskBasics,
  reader: ElementReader,
): ProcessTask {
  return {
    type: 'processTask',
    ...basics,
    ...readCall(element, reader),
    processRef: readCallee(element, 'processRef', 'PROCESS_REF_MISSING', reader),
  };
}

function readCall(
  element: ModdleElement,
  reader: ElementReader,
): Pick<
  CaseTask,
  | 'inParameters'
  | 'outParameters'
  | 'businessKey'
  | 'inheritBusinessKey'
  | 'idVariableName'
  | 'sameDeployment'
> {
  checkMappings(element, reader);
  return {
    inParameters: [
      ...readMappings(element, 'input', reader),
      ...readParameters(element, 'in', reader),
    ],
    outParameters: [
      ...readMappings(element, 'output', reader),
      ...readParameters(element, 'out', reader),
    ],
    businessKey: reader.expressionAttribute(element, 'businessKey'),
    inheritBusinessKey: reader.flag(element, 'inheritBusinessKey'),
    idVariableName: reader.nameAttribute(element, 'idVariableName'),
    sameDeployment: reader.flag(element, 'sameDeployment'),
  };
}

/** Parameters of Flowable: `in` and `out` elements. */
export function readParameters(
  element: ModdleElement,
  name: 'in' | 'out',
  reader: ElementReader,
): ParameterMapping[] {
  return reader.extensions(element, name).map((parameter) => ({
    source: reader.attribute(parameter, 'source'),
    sourceExpression: reader.expressionAttribute(parameter, 'sourceExpression'),
    target: reader.attribute(parameter, 'target'),
    targetExpression: reader.expressionAttribute(parameter, 'targetExpression'),
    isTransient: name === 'out' ? reader.flag(parameter, 'transient') : undefined,
  }));
}

/** A mapping that leads nowhere would leave a value behind. */
function checkMappings(element: ModdleElement, reader: ElementReader): void {
  const own = new Set([...elementsIn(element, 'input'), ...elementsIn(element, 'output')]);
  for (const { sourceRef, targetRef } of elementsIn(element, 'parameterMapping')) {
    const ends = [sourceRef, targetRef] as readonly (ModdleElement | undefined)[];
    if (ends.every(Boolean) && ends.some((end) => end && own.has(end))) continue;
    const message =
      'A parameter mapping must name a parameter of the task and one of what it calls.';
    reader.problem('REFERENCE_UNRESOLVED', message, element);
  }
}

/** Parameter mappings of the standard (CMMN 1.1, 5.4): by the names of the two parameters. */
function readMappings(
  element: ModdleElement,
  side: 'input' | 'output',
  reader: ElementReader,
): ParameterMapping[] {
  const own = new Set(elementsIn(element, side));
  return elementsIn(element, 'parameterMapping').flatMap((mapping) => {
    const source = mapping.sourceRef as ModdleElement | undefined;
    const target = mapping.targetRef as ModdleElement | undefined;
    const mine = side === 'input' ? source : target;
    if (!source || !target || !mine || !own.has(mine)) return [];
    const sourceExpression = reader.expressionElement(
      elementIn(mapping, 'transformation'),
      element,
    );
    return { source: parameterName(source), target: parameterName(target), sourceExpression };
  });
}

/** Decision task (CMMN 1.1, 5.4). */
export function readDecisionTask(
  element: ModdleElement,
  basics: TaskBasics,
  reader: ElementReader,
): DecisionTask {
  return {
    type: 'decisionTask',
    ...basics,
    decisionRef: readCallee(element, 'decisionRef', 'DECISION_REF_MISSING', reader),
    throwErrorOnNoHits: reader.flag(element, 'decisionTaskThrowErrorOnNoHits'),
  };
}

const parameterName = (parameter: ModdleElement): string =>
  (parameter.name as string | undefined) ?? parameter.id ?? '';
