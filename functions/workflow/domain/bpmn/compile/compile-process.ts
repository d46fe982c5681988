import BpmnModdle from 'bpmn-moddle';
import serializer from 'moddle-context-serializer';
import { isReservedName } from '../../cmmn/expression/known-names.ts';
import { type SourceScan, scanSource } from '../../cmmn/xml/source-locations.ts';
import { childrenNamed, parseXmlTree, type XmlElement, XmlError } from '../../cmmn/xml/xml-tree.ts';
import { engineTypes } from '../elements/engine-types.ts';
import type { ProcessModel, ProcessProblem } from '../model/process-model.ts';
import { readFacts } from './read-process.ts';
import { extensionOf, ProcessReport } from './report.ts';
import type { References, Scope } from './scope.ts';
import { checkScope } from './scope-rules.ts';

/** Namespace of BPMN 2.0 models. */
export const BPMN_NAMESPACE = 'http://www.omg.org/spec/BPMN/20100524/MODEL';

/** A checked document; without a model when it has errors. */
export interface ProcessCompilation {
  readonly model?: ProcessModel;
  readonly problems: readonly ProcessProblem[];
}

/** Largest document, in characters. */
const MAX_XML_LENGTH = 1_048_576;
const MAX_XML_DEPTH = 200;
const MAX_PREFIXES = 100;
/** Most elements and flows; the engine makes an object of each for every command. */
const MAX_ELEMENTS = 2_000;
const MAX_ID_LENGTH = 100;
/** The engine builds patterns of keys from ids, in which dots and stars mean something. */
const ID = /^[A-Za-z_][\w-]*$/;

/** Checks a BPMN 2.0 document and makes of it what the engine runs. */
export async function compileProcess(xml: string): Promise<ProcessCompilation> {
  if (xml.length > MAX_XML_LENGTH) {
    return refusal('XML_TOO_LARGE', `The model is longer than ${MAX_XML_LENGTH} characters.`);
  }
  const scan = scanSource(xml);
  const unreadable = refusalOf(scan);
  if (unreadable) return unreadable;
  const report = new ProcessReport(scan);
  const root = parse(xml, report);
  const process = root && processIn(root, report);
  if (!root || !process) return { problems: report.problems };
  checkIds(scan, report);
  const scopes = checkScope(process, referencesIn(root), report);
  const count = scopes.reduce((sum, scope) => sum + scope.activities.size + scope.flows.length, 0);
  if (count > MAX_ELEMENTS) {
    report.add('PROCESS_TOO_LARGE', `The process has more than ${MAX_ELEMENTS} elements.`, process);
  }
  const facts = readFacts(scopes, report);
  if (report.hasErrors) return { problems: report.problems };
  const { id: processKey = '', name } = process.attributes;
  const context = await contextOf(xml, processKey, scopes);
  return {
    model: { formatVersion: 1, processKey, ...(name && { name }), context, ...facts },
    problems: report.problems,
  };
}

const refusal = (code: string, message: string): ProcessCompilation => ({
  problems: [{ code, severity: 'ERROR', message }],
});

function refusalOf({ hasDoctype, depth, prefixCount, root }: SourceScan) {
  if (hasDoctype) {
    return refusal('XML_DTD_FORBIDDEN', 'A model must not have a document type.');
  }
  if (depth > MAX_XML_DEPTH || prefixCount > MAX_PREFIXES) {
    return refusal('XML_TOO_LARGE', 'The model is nested too deep, or has too many prefixes.');
  }
  if (root?.localName !== 'definitions' || root.namespace !== BPMN_NAMESPACE) {
    const told = `The outermost element must be "definitions" of ${BPMN_NAMESPACE}.`;
    return refusal('NOT_BPMN', told);
  }
  return undefined;
}

function parse(xml: string, report: ProcessReport): XmlElement | undefined {
  try {
    return parseXmlTree(xml.trim());
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    report.add('XML_MALFORMED', `Not well-formed: ${error.message}.`);
    return undefined;
  }
}

/** The one process of a document that can be run. */
function processIn(root: XmlElement, report: ProcessReport): XmlElement | undefined {
  const processes = childrenNamed(root, 'process').filter(
    ({ attributes }) => attributes.isExecutable !== 'false',
  );
  const [process] = processes;
  if (!process || processes.length > 1) {
    const told = `There must be one executable process; there are ${processes.length}.`;
    report.add('PROCESS_COUNT', told, processes[1]);
    return undefined;
  }
  if (process.attributes.id) return process;
  report.add('ID_MISSING', 'The process has no id.', process);
  return undefined;
}

function checkIds({ byId, duplicates }: SourceScan, report: ProcessReport): void {
  for (const [id, { tag }] of [...byId, ...duplicates]) {
    const element: XmlElement = { name: tag, attributes: { id }, children: [], text: '' };
    if (duplicates.has(id)) {
      if (!report.problems.some((problem) => problem.elementId === id)) {
        report.add('DUPLICATE_ID', `The id "${id.slice(0, 80)}" is used again.`, element);
      }
    } else if (!ID.test(id) || id.length > MAX_ID_LENGTH || isReservedName(id) || id in {}) {
      const told = 'An id has letters, digits, - and _, and at most 100 of them.';
      report.add('ID_INVALID', told, element);
    }
  }
}

function referencesIn(root: XmlElement): References {
  const named = (kind: string) =>
    new Map(
      childrenNamed(root, kind).map(({ attributes }) => [
        attributes.id ?? '',
        attributes.name ?? (kind === 'error' ? (attributes.errorCode ?? '') : ''),
      ]),
    );
  return { messages: named('message'), signals: named('signal'), errors: named('error') };
}

interface SerializedContext {
  readonly sequenceFlows: {
    readonly behaviour: { conditionExpression?: { body?: string; language?: string } };
  }[];
  readonly processes: { readonly id: string; readonly behaviour: { isExecutable?: boolean } }[];
  readonly activities: {
    readonly id: string;
    readonly behaviour: {
      loopCharacteristics?: { behaviour: { collection?: string; elementVariable?: string } };
    };
  }[];
}

/** The document as the engine takes it: collections, which dialects name, are given as expressions. */
async function contextOf(
  xml: string,
  processKey: string,
  scopes: readonly Scope[],
): Promise<string> {
  const moddle = await new BpmnModdle().fromXML(xml.trim());
  const context = JSON.parse(serializer(moddle, engineTypes()).serialize()) as SerializedContext;
  const loops = new Map(
    scopes.flatMap(({ activities }) =>
      [...activities].flatMap(([id, activity]) =>
        childrenNamed(activity, 'multiInstanceLoopCharacteristics').map(
          (loop): [string, XmlElement] => [id, loop],
        ),
      ),
    ),
  );
  for (const { id, behaviour } of context.processes) behaviour.isExecutable = id === processKey;
  for (const { behaviour } of context.sequenceFlows) setLanguage(behaviour.conditionExpression);
  for (const { id, behaviour } of context.activities) {
    const [loop, own] = [loops.get(id), behaviour.loopCharacteristics?.behaviour];
    if (!loop || !own) continue;
    const collection = extensionOf(loop, 'collection');
    if (collection === undefined) continue;
    own.collection = /[$#]\{/.test(collection) ? collection : `\${${collection}}`;
    own.elementVariable = extensionOf(loop, 'elementVariable') ?? 'item';
  }
  return JSON.stringify(context);
}

/** Conditions in FEEL begin with `=`, however the document says so. */
function setLanguage(condition: { body?: string; language?: string } | undefined): void {
  if (!condition?.body) return;
  const text = condition.body.trim();
  const isFeel = /feel/i.test(condition.language ?? '') && !text.startsWith('=');
  condition.body = isFeel ? `=${text}` : text;
  delete condition.language;
}
