import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import type { ProcessReport } from './report.ts';

/** Namespaces of the dialects that models come in, and the prefixes that they are known by here. */
const DIALECTS: Readonly<Record<string, string>> = {
  'http://flowable.org/bpmn': 'flowable',
  'http://camunda.org/schema/1.0/bpmn': 'camunda',
  'http://activiti.org/bpmn': 'activiti',
  'http://operaton.org/schema/1.0/bpmn': 'operaton',
};
const PREFIXES = Object.values(DIALECTS);

/** What the dialects say that is carried out, by element. */
const CARRIED_OUT: Readonly<Record<string, readonly string[]>> = {
  userTask: [
    ...['assignee', 'owner', 'candidateUsers', 'candidateGroups', 'priority', 'dueDate'],
    ...['formKey', 'category', 'excludeCompletersOf'],
  ],
  // What of it a service task may say is checked with the task.
  serviceTask: [
    ...['expression', 'resultVariable', 'resultVariableName', 'type', 'topic'],
    ...['class', 'delegateExpression'],
  ],
  multiInstanceLoopCharacteristics: ['collection', 'elementVariable'],
};
/** How other engines carry something out, or show it: a process goes the same way without it. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...['async', 'asyncBefore', 'asyncAfter', 'asyncLeave', 'asyncLeaveExclusive', 'exclusive'],
  ...['jobPriority', 'formFieldValidation', 'modelerTemplate', 'modelerTemplateVersion'],
  'modelerTemplateIcon',
]);
/** Extension elements that change what other engines do. */
const EFFECTIVE_ELEMENTS: ReadonlySet<string> = new Set([
  ...['taskListener', 'executionListener', 'eventListener', 'formProperty', 'formData'],
  ...['inputOutput', 'connector', 'field', 'in', 'out', 'variableAggregation', 'errorMap'],
  ...['assignmentDefinition', 'formDefinition', 'taskDefinition', 'ioMapping', 'taskSchedule'],
]);

/** An attribute of the dialects that models come in. */
export function extensionOf({ attributes }: XmlElement, name: string): string | undefined {
  for (const prefix of PREFIXES) {
    const value = attributes[`${prefix}:${name}`];
    if (value !== undefined && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** The variable that a service task sets. */
export const resultVariableOf = (task: XmlElement): string | undefined =>
  extensionOf(task, 'resultVariable') ?? extensionOf(task, 'resultVariableName');

/** The tree with the usual prefixes of the dialects, whatever the document calls them. */
export function withUsualPrefixes(
  root: XmlElement,
  prefixes: ReadonlyMap<string, readonly string[]>,
): XmlElement {
  const usual = new Map(
    Object.entries(DIALECTS).flatMap(([namespace, dialect]) =>
      (prefixes.get(namespace) ?? []).flatMap((own) => (own === dialect ? [] : [[own, dialect]])),
    ) as [string, string][],
  );
  return usual.size === 0 ? root : renamed(root, usual);
}

function renamed(element: XmlElement, usual: ReadonlyMap<string, string>): XmlElement {
  const attributes = Object.entries(element.attributes).map(([name, value]) => {
    const [prefix = '', local] = name.split(':');
    const dialect = local === undefined ? undefined : usual.get(prefix);
    return [dialect ? `${dialect}:${local}` : name, value];
  });
  return {
    ...element,
    attributes: Object.fromEntries(attributes),
    children: element.children.map((child) => renamed(child, usual)),
  };
}

/**
 * Refuses extensions of an element that would have no effect.
 * @param owner the element that the problem names, when this one is a part of it
 */
export function checkExtensions(
  element: XmlElement,
  report: ProcessReport,
  owner: XmlElement = element,
): void {
  const known = CARRIED_OUT[element.name] ?? [];
  for (const attribute of Object.keys(element.attributes)) {
    const [prefix = '', name] = attribute.split(':');
    if (name === undefined || !PREFIXES.includes(prefix) || known.includes(name)) continue;
    if (WITHOUT_EFFECT.has(name)) {
      report.add('EXTENSION_IGNORED', `${attribute} has no effect.`, owner, 'WARNING');
      continue;
    }
    const may = known.length > 0 ? `; it may have ${known.join(', ')}` : '';
    const message = `A ${element.name} cannot have ${shown(attribute)}${may}.`;
    report.add('EXTENSION_UNSUPPORTED', message, owner);
  }
  for (const { name } of childrenNamed(element, 'extensionElements').flatMap(
    ({ children }) => children,
  )) {
    if (!EFFECTIVE_ELEMENTS.has(name) || (element.name === 'serviceTask' && name === 'in'))
      continue;
    const message = `A ${element.name} cannot have the extension element ${name}.`;
    report.add('EXTENSION_UNSUPPORTED', message, owner);
  }
}
