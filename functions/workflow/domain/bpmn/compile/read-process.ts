import type { Expression } from '../../cmmn/expression/expression.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import type {
  EvaluationModel,
  ProcessElement,
  ProcessFlow,
  ProcessModel,
  RequestModel,
  UserTaskModel,
} from '../model/process-model.ts';
import { extensionOf } from './dialects.ts';
import type { ProcessReport } from './report.ts';
import type { Scope } from './scope.ts';
import { readService } from './service-rules.ts';
import { excludedKeys } from './user-task-rules.ts';

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? '';
const nameOf = ({ name, attributes }: XmlElement): string =>
  attributes.name?.trim() || attributes.id || name;

/** What the engine asks for while it runs, besides the document itself. */
export function readFacts(
  scopes: readonly Scope[],
  report: ProcessReport,
): Omit<ProcessModel, 'formatVersion' | 'processKey' | 'name' | 'context'> {
  const elements: Record<string, ProcessElement> = {};
  const userTasks: Record<string, UserTaskModel> = {};
  const evaluations: Record<string, EvaluationModel> = {};
  const requests: Record<string, RequestModel> = {};
  const elementVariables: Record<string, string> = {};
  for (const { element, activities, parent } of scopes) {
    const around = parent ? { parentId: idOf(element) } : {};
    for (const [id, activity] of activities) {
      elements[id] = { type: activity.name, name: nameOf(activity), ...around };
      if (activity.name === 'userTask') userTasks[id] = readUserTask(activity, report);
      if (activity.name === 'serviceTask') {
        const service = readService(activity, report);
        if ('request' in service) requests[id] = service.request;
        else evaluations[id] = service.evaluation;
      }
      const [loop] = childrenNamed(activity, 'multiInstanceLoopCharacteristics');
      if (loop) elementVariables[id] = extensionOf(loop, 'elementVariable') ?? 'item';
    }
  }
  const flows = scopes.flatMap(readFlows);
  return { elements, flows, userTasks, evaluations, requests, elementVariables };
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
  const excludeCompletersOf = excludedKeys(task);
  return {
    ...(excludeCompletersOf.length > 0 && { excludeCompletersOf }),
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
