import type { Expression } from '../../cmmn/expression/expression.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import type {
  ProcessElement,
  ProcessFlow,
  ProcessModel,
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

type Facts = Omit<ProcessModel, 'formatVersion' | 'processKey' | 'name' | 'context'>;

/** What the engine asks for while it runs, besides the document itself. */
export function readFacts(scopes: readonly Scope[], report: ProcessReport): Facts {
  const read = <T>(of: (id: string, activity: XmlElement, scope: Scope) => T | undefined) =>
    Object.fromEntries(
      scopes.flatMap((scope) =>
        [...scope.activities].flatMap(([id, activity]): [string, T][] => {
          const found = of(id, activity, scope);
          return found === undefined ? [] : [[id, found]];
        }),
      ),
    );
  const service = (activity: XmlElement) =>
    activity.name === 'serviceTask' ? readService(activity, report) : {};
  return {
    elements: read(
      (_, activity, { parent, element }): ProcessElement => ({
        ...{ type: activity.name, name: nameOf(activity) },
        ...(parent && { parentId: idOf(element) }),
      }),
    ),
    flows: scopes.flatMap(readFlows),
    userTasks: read((_, activity) =>
      activity.name === 'userTask' ? readUserTask(activity, report) : undefined,
    ),
    evaluations: read((_, activity) => service(activity).evaluation),
    requests: read((_, activity) => service(activity).request),
    elementVariables: read((_, activity) => {
      const [loop] = childrenNamed(activity, 'multiInstanceLoopCharacteristics');
      return loop && (extensionOf(loop, 'elementVariable') ?? 'item');
    }),
  };
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
