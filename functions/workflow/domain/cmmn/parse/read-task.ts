import type { ModdleElement } from 'cmmn-moddle';
import type { Expression } from '../expression/expression.ts';
import type {
  CaseTask,
  DecisionTask,
  HumanTask,
  ParameterMapping,
  PlanItemDefinition,
  ProcessTask,
} from '../model/plan-item-definition.ts';
import { childOf, childrenOf, type ElementReader } from './element-reader.ts';
import type { DefinitionBasics } from './read-basics.ts';
import { readPlanningTable } from './read-planning-table.ts';

interface TaskBasics extends DefinitionBasics {
  readonly isBlocking: boolean;
  readonly isBlockingExpression?: Expression;
}

/** Reads a task (CMMN 1.1, 5.4.10). */
export function readTask(
  element: ModdleElement,
  definition: DefinitionBasics,
  reader: ElementReader,
): PlanItemDefinition {
  if (reader.flag(element, 'async') || reader.flag(element, 'asyncLeave')) {
    reader.problem('ASYNC_IGNORED', 'Every task runs at once: "async" has no effect.', element);
  }
  const basics: TaskBasics = {
    ...definition,
    isBlocking: reader.flag(element, 'isBlocking') ?? true,
    isBlockingExpression: reader.expressionAttribute(element, 'isBlockingExpression'),
  };
  switch (element.$type) {
    case 'cmmn:HumanTask':
      return readHumanTask(element, basics, reader);
    case 'cmmn:CaseTask':
      return readCaseTask(element, basics, reader);
    case 'cmmn:ProcessTask':
      return readProcessTask(element, basics, reader);
    case 'cmmn:DecisionTask':
      return readDecisionTask(element, basics, reader);
    default:
      return readTypedTask(element, basics, reader);
  }
}

/** Human task (CMMN 1.1, 5.4.10.4) with the peer's attributes. */
function readHumanTask(
  element: ModdleElement,
  basics: TaskBasics,
  reader: ElementReader,
): HumanTask {
  const table = childOf(element, 'planningTable');
  const performer = reader.reference(element, 'performerRef');
  const groups = readList(element, 'candidateGroups', reader);
  return {
    type: 'humanTask',
    ...basics,
    planningTable: table && readPlanningTable(table, reader),
    assignee: reader.expressionAttribute(element, 'assignee'),
    owner: reader.expressionAttribute(element, 'owner'),
    candidateUsers: readList(element, 'candidateUsers', reader),
    candidateGroups: groups ?? (performer ? [reader.expression(performer)] : undefined),
    priority: reader.expressionAttribute(element, 'priority'),
    dueDate: reader.expressionAttribute(element, 'dueDate'),
    category: reader.expressionAttribute(element, 'category'),
    formKey: reader.expressionAttribute(element, 'formKey'),
    taskIdVariableName: reader.attribute(element, 'taskIdVariableName'),
    taskCompleterVariableName: reader.attribute(element, 'taskCompleterVariableName'),
  };
}

/** A list separated by commas; commas inside an expression do not count. */
function readList(
  element: ModdleElement,
  name: string,
  reader: ElementReader,
): readonly Expression[] | undefined {
  const text = reader.attribute(element, name);
  if (text === undefined) return undefined;
  const parts = text.match(/(?:[$#]\{[^}]*\}|[^,])+/g) ?? [];
  return parts.filter((part) => part.trim()).map((part) => reader.expression(part));
}

/** The attribute or, if there is none, the expression element of the same meaning. */
function readCallee(
  element: ModdleElement,
  name: 'caseRef' | 'processRef' | 'decisionRef',
  code: 'CASE_REF_MISSING' | 'PROCESS_REF_MISSING' | 'DECISION_REF_MISSING',
  reader: ElementReader,
): Expression {
  const expression =
    reader.expressionAttribute(element, name) ??
    reader.expressionElement(childOf(element, `${name}Expression`), element) ??
    readDecisionTableReference(element, name, reader);
  if (!expression) reader.problem(code, 'The task does not say what it calls.', element);
  return expression ?? reader.expression('');
}

/** The peer's older form: a field extension `decisionTableReferenceKey`. */
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

/** Case task (CMMN 1.1, 5.4.10.6). */
function readCaseTask(element: ModdleElement, basics: TaskBasics, reader: ElementReader): CaseTask {
  return {
    type: 'caseTask',
    ...basics,
    ...readCall(element, reader),
    caseRef: readCallee(element, 'caseRef', 'CASE_REF_MISSING', reader),
    caseInstanceName: reader.expressionAttribute(element, 'caseInstanceName'),
  };
}

/** Process task (CMMN 1.1, 5.4.10.5). */
function readProcessTask(
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
  'inParameters' | 'outParameters' | 'businessKey' | 'inheritBusinessKey' | 'idVariableName'
> {
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
    idVariableName: reader.attribute(element, 'idVariableName'),
  };
}

/** Parameters of the peer: `in` and `out` elements. */
function readParameters(
  element: ModdleElement,
  name: 'in' | 'out',
  reader: ElementReader,
): ParameterMapping[] {
  return reader.extensions(element, name).map((parameter) => ({
    source: reader.attribute(parameter, 'source'),
    sourceExpression: reader.expressionAttribute(parameter, 'sourceExpression'),
    target: reader.attribute(parameter, 'target'),
    targetExpression: reader.expressionAttribute(parameter, 'targetExpression'),
  }));
}

/** Parameter mappings of the standard (CMMN 1.1, 5.4.10.3): by the names of the two parameters. */
function readMappings(
  element: ModdleElement,
  side: 'input' | 'output',
  reader: ElementReader,
): ParameterMapping[] {
  const own = new Set(childrenOf(element, side));
  return childrenOf(element, 'parameterMapping').flatMap((mapping) => {
    const source = mapping.sourceRef as ModdleElement | undefined;
    const target = mapping.targetRef as ModdleElement | undefined;
    const mine = side === 'input' ? source : target;
    if (!source || !target || !mine || !own.has(mine)) return [];
    const sourceExpression = reader.expressionElement(childOf(mapping, 'transformation'), element);
    return { source: parameterName(source), target: parameterName(target), sourceExpression };
  });
}

const parameterName = (parameter: ModdleElement): string =>
  (parameter.name as string | undefined) ?? parameter.id ?? '';

/** Decision task (CMMN 1.1, 5.4.10.7). */
function readDecisionTask(
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

/** A `task` whose type is an extension: an expression, external work, or something the engine must refuse. */
function readTypedTask(
  element: ModdleElement,
  basics: TaskBasics,
  reader: ElementReader,
): PlanItemDefinition {
  const type = reader.attribute(element, 'type');
  const expression = reader.expressionAttribute(element, 'expression');
  const { isBlocking: _, isBlockingExpression: __, ...definition } = basics;
  if (expression && (type === undefined || type === 'java')) {
    return {
      type: 'expressionTask',
      ...definition,
      expression,
      resultVariableName: reader.attribute(element, 'resultVariableName'),
      storeResultAsTransient: reader.flag(element, 'storeResultVariableAsTransient'),
    };
  }
  if (type === 'external-worker') {
    const topic = reader.attribute(element, 'topic');
    if (!topic) reader.problem('TOPIC_MISSING', 'External work needs a topic.', element);
    return { type: 'externalWorkerTask', ...definition, topic: topic ?? '' };
  }
  const code =
    reader.attribute(element, 'class') ?? reader.attribute(element, 'delegateExpression');
  if (type === 'script') {
    reader.problem('SCRIPT_UNSUPPORTED', 'Scripts are not run.', element);
  } else if (type !== undefined || code !== undefined) {
    const message = `Tasks of the type "${type ?? 'java'}" are not supported; expressions are.`;
    reader.problem('SERVICE_TASK_UNSUPPORTED', message, element);
  }
  return { type: 'task', ...basics };
}
