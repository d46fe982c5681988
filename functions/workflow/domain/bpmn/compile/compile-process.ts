import { type SourceScan, scanSource } from '../../cmmn/xml/source-locations.ts';
import { childrenNamed, parseXmlTree, type XmlElement, XmlError } from '../../cmmn/xml/xml-tree.ts';
import type { ProcessModel, ProcessProblem } from '../model/process-model.ts';
import { withUsualPrefixes } from './dialects.ts';
import { ACTIVITIES } from './elements.ts';
import { engineContext } from './engine-context.ts';
import { checkIds } from './id-rules.ts';
import { readFacts } from './read-process.ts';
import { ProcessReport } from './report.ts';
import type { References } from './scope.ts';
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
const COUNTED: ReadonlySet<string> = new Set([...ACTIVITIES, 'sequenceFlow']);

/** Checks a BPMN 2.0 document and makes of it what the engine runs. */
export async function compileProcess(xml: string): Promise<ProcessCompilation> {
  if (xml.length > MAX_XML_LENGTH) {
    return refusal('XML_TOO_LARGE', `The model is longer than ${MAX_XML_LENGTH} characters.`);
  }
  const scan = scanSource(xml);
  const unreadable = refusalOf(scan);
  if (unreadable) return unreadable;
  const report = new ProcessReport(scan);
  const tree = parse(xml, report);
  const root = tree && withUsualPrefixes(tree, scan.prefixes);
  const process = root && processIn(root, report);
  if (!root || !process) return { problems: report.problems };
  if (countIn(process) > MAX_ELEMENTS) {
    report.add('PROCESS_TOO_LARGE', `The process has more than ${MAX_ELEMENTS} elements.`, process);
    return { problems: report.problems };
  }
  checkIds(scan, report);
  const scopes = checkScope(process, referencesIn(root), report);
  const facts = readFacts(scopes, report);
  if (report.hasErrors) return { problems: report.problems };
  const { id: processKey = '', name } = process.attributes;
  const context = await engineContext(xml, processKey, scopes, report);
  if (context === undefined) return { problems: report.problems };
  return {
    model: { formatVersion: 1, processKey, ...(name && { name }), context, ...facts },
    problems: report.problems,
  };
}

/** Elements that the engine makes objects of, at any depth. */
const countIn = ({ children }: XmlElement): number =>
  children.reduce((sum, child) => sum + (COUNTED.has(child.name) ? 1 : 0) + countIn(child), 0);

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
    const message = `The outermost element must be "definitions" of ${BPMN_NAMESPACE}.`;
    return refusal('NOT_BPMN', message);
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
    const message = `There must be one executable process; there are ${processes.length}.`;
    report.add('PROCESS_COUNT', message, processes[1]);
    return undefined;
  }
  if (process.attributes.id) return process;
  report.add('ID_MISSING', 'The process has no id.', process);
  return undefined;
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
