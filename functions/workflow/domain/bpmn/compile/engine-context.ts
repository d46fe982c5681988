import BpmnModdle from 'bpmn-moddle';
import serializer from 'moddle-context-serializer';
import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import { engineTypes } from '../elements/engine-types.ts';
import { extensionOf } from './dialects.ts';
import { checkOwnIds } from './id-rules.ts';
import type { ProcessReport } from './report.ts';
import type { Scope } from './scope.ts';

interface SerializedElement {
  readonly id: string;
  readonly type: string;
}

interface SerializedFlow extends SerializedElement {
  readonly behaviour: { conditionExpression?: { body?: string; language?: string } };
}

interface SerializedActivity extends SerializedElement {
  readonly behaviour: {
    loopCharacteristics?: { behaviour: { collection?: string; elementVariable?: string } };
  };
}

interface SerializedContext {
  sequenceFlows: SerializedFlow[];
  processes: (SerializedElement & { readonly behaviour: { isExecutable?: boolean } })[];
  activities: SerializedActivity[];
  messageFlows: unknown[];
  scripts: unknown[];
}

/**
 * The document as the engine takes it, with nothing in it but what has been checked: other processes of the document
 * go, and so do messages between them. Collections, which dialects name, are given as expressions.
 * @returns `undefined` when the engine reads something else than what has been checked
 */
export async function engineContext(
  xml: string,
  processKey: string,
  scopes: readonly Scope[],
  report: ProcessReport,
): Promise<string | undefined> {
  const context = await serialized(xml, report);
  if (!context) return undefined;
  const activities = new Map(scopes.flatMap((scope) => [...scope.activities]));
  const flows = new Map(
    scopes.flatMap((scope) =>
      scope.flows.map((flow): [string, XmlElement] => [flow.attributes.id ?? '', flow]),
    ),
  );
  context.processes = context.processes.filter(({ id }) => id === processKey);
  context.activities = context.activities.filter((element) => isSame(element, activities));
  context.sequenceFlows = context.sequenceFlows.filter((element) => isSame(element, flows));
  context.messageFlows = [];
  context.scripts = [];
  for (const { behaviour } of context.processes) behaviour.isExecutable = true;
  const read = [...context.activities, ...context.sequenceFlows];
  checkOwnIds(scopes, report);
  const known = new Set(read.map(({ id }) => id));
  for (const [id, element] of [...activities, ...flows]) {
    if (known.has(id)) continue;
    const message = 'The element is none of BPMN: its namespace or its place is another one.';
    report.add('ELEMENT_UNSUPPORTED', message, element);
  }
  if (report.hasErrors) return undefined;
  for (const { behaviour } of context.sequenceFlows) setLanguage(behaviour.conditionExpression);
  for (const activity of context.activities) setCollection(activity, activities);
  return JSON.stringify(context);
}

async function serialized(
  xml: string,
  report: ProcessReport,
): Promise<SerializedContext | undefined> {
  try {
    const moddle = await new BpmnModdle().fromXML(xml.trim());
    return JSON.parse(serializer(moddle, engineTypes()).serialize()) as SerializedContext;
  } catch (error) {
    const message = error instanceof Error ? shown(error.message) : '';
    report.add('XML_MALFORMED', `The document cannot be read: ${message}.`);
    return undefined;
  }
}

const isSame = ({ id, type }: SerializedElement, checked: ReadonlyMap<string, XmlElement>) =>
  checked.get(id)?.name.toLowerCase() === type.replace(/^bpmn:/, '').toLowerCase();

/** Its instances keep their element under a name that is the engine's own; expressions see it under that of the model. */
function setCollection(
  { id, behaviour }: SerializedActivity,
  activities: ReadonlyMap<string, XmlElement>,
): void {
  const own = behaviour.loopCharacteristics?.behaviour;
  const element = activities.get(id);
  const [loop] = element ? childrenNamed(element, 'multiInstanceLoopCharacteristics') : [];
  if (!loop || !own) return;
  delete own.elementVariable;
  const collection = extensionOf(loop, 'collection');
  if (collection === undefined) return;
  own.collection = /[$#]\{/.test(collection) ? collection : `\${${collection}}`;
}

/** Conditions in FEEL begin with `=`, however the document says so. */
function setLanguage(condition: { body?: string; language?: string } | undefined): void {
  if (!condition?.body) return;
  const text = condition.body.trim();
  const isFeel = /feel/i.test(condition.language ?? '') && !text.startsWith('=');
  condition.body = isFeel ? `=${text}` : text;
  delete condition.language;
}
