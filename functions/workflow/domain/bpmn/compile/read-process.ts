import type { Expression } from '../../cmmn/expression/expression.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import type {
  EvaluationModel,
  ProcessElement,
  ProcessFlow,
  ProcessModel,
  UserTaskModel,
} from '../model/process-model.ts';
import { extensionOf, type ProcessReport, resultVariableOf } from './report.ts';
import type { Scope } from './scope.ts';

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? '';
const nameOf = ({ name, attributes }: XmlElement): string =>
  attributes.name?.trim() || attributes.id || name;

/** What the engine asks for while it runs, besides the document itself. */
export function readFacts(
  scopes: readonly Scope[],
  report: ProcessReport,
): Pick<ProcessModel, 'elements' | 'flows' | 'userTasks' | 'evaluations' | 'elementVariables'> {
  const elements: Record<string, ProcessElement> = {};
  const userTasks: Record<string, UserTaskModel> = {};
  const evaluations: Record<string, EvaluationModel> = {};
  const elementVariables: Record<string, string> = {};
  for (const { element, activities, parent } of scopes) {
    const around = parent ? { parentId: idOf(element) } : {};
    for (const [id, activity] of activities) {
      elements[id] = { type: activity.name, name: nameOf(activity), ...around };
      if (activity.name === 'userTask') userTasks[id] = readUserTask(activity, report);
      if (activity.name === 'serviceTask') evaluations[id] = readEvaluation(activity, report);
      const [loop] = childrenNamed(activity, 'multiInstanceLoopCharacteristics');
      if (loop) elementVariables[id] = extensionOf(loop, 'elementVariable') ?? 'item';
    }
  }
  return { elements, flows: scopes.flatMap(readFlows), userTasks, evaluations, elementVariables };
}

function readFlows({ flows, activities }: Scope): ProcessFlow[] {
  return flows.map((flow) => {
    const { sourceRef = '', targetRef = '', name } = flow.attributes;
    const isDefault = activities.get(sourceRef)?.attributes.default === idOf(flow);
    const [condition] = childrenNamed(flow, 'conditionExpression');
    return {
      id: idOf(flow),
      ...(name && { name }),
      ...{ sourceId: sourceRef, targetId: targetRef },
      ...(condition && { condition: condition.text.trim() }),
      ...(isDefault && { isDefault: true as const }),
    };
  });
}

function readUserTask(task: XmlElement, report: ProcessReport): UserTaskModel {
  const read = (name: string): Expression | undefined => {
    const text = extensionOf(task, name);
    return text === undefined ? undefined : report.expression(text, task);
  };
  const [documentation] = childrenNamed(task, 'documentation');
  const text = documentation?.text.trim();
  return {
    name: report.expression(nameOf(task), task),
    description: text ? report.expression(text, task) : undefined,
    assignee: read('assignee'),
    owner: read('owner'),
    candidateUsers: read('candidateUsers'),
    candidateGroups: read('candidateGroups'),
    priority: read('priority'),
    dueDate: read('dueDate'),
    formKey: read('formKey'),
    category: read('category'),
  };
}

function readEvaluation(task: XmlElement, report: ProcessReport): EvaluationModel {
  const resultVariable = resultVariableOf(task);
  return {
    expression: report.expression(extensionOf(task, 'expression') ?? '', task),
    ...(resultVariable && { resultVariable }),
  };
}
