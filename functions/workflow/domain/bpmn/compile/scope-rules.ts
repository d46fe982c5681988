import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import { checkActivity } from './activity-rules.ts';
import { checkExtensions } from './dialects.ts';
import { ACTIVITIES, REFUSED, SILENT } from './elements.ts';
import type { ProcessReport } from './report.ts';
import type { References, Scope } from './scope.ts';
import { checkTexts } from './text-rules.ts';

/** Elements of a sub-process, or the process, that are nested at most so deep. */
const MAX_DEPTH = 10;

/** Checks a process or sub-process with everything in it. @returns it and those in it, outermost first */
export function checkScope(
  element: XmlElement,
  references: References,
  report: ProcessReport,
  parent?: Scope,
  depth = 1,
): Scope[] {
  const activities = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (!ACTIVITIES.has(child.name)) continue;
    const { id } = child.attributes;
    if (id) activities.set(id, child);
    else report.add('ID_MISSING', `The element ${child.name} has no id.`, child);
  }
  const flows = childrenNamed(element, 'sequenceFlow');
  const scope: Scope = { element, activities, flows, references, ...(parent && { parent }) };
  checkTexts(element, report);
  checkChildren(scope, report);
  checkStart(scope, report);
  for (const flow of flows) {
    checkFlow(flow, scope, report);
    checkExtensions(flow, report);
  }
  for (const activity of activities.values()) checkActivity(activity, scope, report);
  if (depth > MAX_DEPTH) {
    report.add('NESTED_TOO_DEEP', `Sub-processes are nested deeper than ${MAX_DEPTH}.`, element);
    return [scope];
  }
  const inner = [...activities.values()].filter(({ name }) => name === 'subProcess');
  return [
    scope,
    ...inner.flatMap((child) => checkScope(child, references, report, scope, depth + 1)),
  ];
}

function checkChildren({ element }: Scope, report: ProcessReport): void {
  for (const child of element.children) {
    const isOwn = ACTIVITIES.has(child.name) || SILENT.has(child.name);
    const isFlow = ['sequenceFlow', 'incoming', 'outgoing'].includes(child.name);
    const isLoop = child.name.endsWith('LoopCharacteristics');
    if (isOwn || isFlow || isLoop) continue;
    const why = Object.hasOwn(REFUSED, child.name) ? REFUSED[child.name] : 'it is not known';
    report.add(
      'ELEMENT_UNSUPPORTED',
      `The element ${shown(child.name)} is refused: ${why}.`,
      child,
    );
  }
}

function checkStart({ element, activities }: Scope, report: ProcessReport): void {
  const starts = [...activities.values()].filter(({ name }) => name === 'startEvent');
  if (starts.length === 1) return;
  const message = `There must be one start event; there are ${starts.length}.`;
  report.add('START_EVENT', message, starts[1] ?? element);
}

/** Elements that cannot have incoming flows. */
const ONLY_SOURCES = ['startEvent', 'boundaryEvent'];

function checkFlow(flow: XmlElement, scope: Scope, report: ProcessReport): void {
  const { id, sourceRef = '', targetRef = '' } = flow.attributes;
  if (!id) report.add('ID_MISSING', 'A sequence flow has no id.', flow);
  const [source, target] = [scope.activities.get(sourceRef), scope.activities.get(targetRef)];
  if (!source || !target) {
    const missing = source ? targetRef : sourceRef;
    const isRefused = scope.element.children.some(({ attributes }) => attributes.id === missing);
    if (isRefused) return;
    const message = `The flow leads to or from "${shown(missing)}", which is not beside it.`;
    report.add('FLOW_UNRESOLVED', message, flow);
    return;
  }
  if (source.name === 'endEvent' || ONLY_SOURCES.includes(target.name)) {
    report.add('FLOW_NOT_POSSIBLE', `No flow leads from ${source.name} to ${target.name}.`, flow);
  }
  checkCondition(flow, report);
}

function checkCondition(flow: XmlElement, report: ProcessReport): void {
  const [condition] = childrenNamed(flow, 'conditionExpression');
  if (!condition) return;
  const text = condition.text.trim();
  const { language = '' } = condition.attributes;
  const { text: source, language: own } = report.expression(text, flow, language);
  if (own === 'juel' && !/[$#]\{/.test(source)) {
    const message = `The condition "${shown(text)}" is no expression; write \${...}, or = and FEEL.`;
    report.add('CONDITION_CONSTANT', message, flow);
  }
}
