import CmmnModdle, { type ModdleElement, type ModdleReference } from 'cmmn-moddle';
import type { ProblemElement, Report } from '../validation/problem.ts';
import { type SourceScan, scanSource } from './source-locations.ts';

/** Largest model, in characters. */
const MAX_XML_LENGTH = 1024 * 1024;
/** Deepest nesting of elements; the reader of a stage calls itself for the stages in it. */
const MAX_XML_DEPTH = 200;

const CMMN_NAMESPACE = 'http://www.omg.org/spec/CMMN/20151109/MODEL';
const CMMN_1_0_NAMESPACE = 'http://www.omg.org/spec/CMMN/20131201/MODEL';

/** A CMMN document as the meta-model sees it. */
export interface CmmnDocument {
  readonly root: ModdleElement;
  readonly references: readonly ModdleReference[];
  readonly scan: SourceScan;
}

/**
 * Parses the XML form of CMMN 1.1 (clause 7) with `cmmn-moddle`. Document types are refused before the parser
 * sees the text, so there are no entities to expand and nothing to fetch.
 * @returns undefined when the report holds an error that leaves nothing to look at
 */
export async function readXml(xml: string, report: Report): Promise<CmmnDocument | undefined> {
  if (xml.length > MAX_XML_LENGTH) {
    report.add('XML_TOO_LARGE', `The model is longer than ${MAX_XML_LENGTH} characters.`);
    return undefined;
  }
  const scan = scanSource(xml);
  if (!isReadable(scan, report)) return undefined;
  try {
    const { root, references, warnings } = await parse(xml);
    reportWarnings(warnings, report);
    return { root, references, scan };
  } catch (error) {
    report.add('XML_MALFORMED', ...malformed((error as Error).message));
    return undefined;
  }
}

function isReadable(scan: SourceScan, report: Report): boolean {
  if (scan.hasDoctype) {
    report.add('XML_DTD_FORBIDDEN', 'A model must not have a document type.');
  } else if (scan.depth > MAX_XML_DEPTH) {
    report.add('XML_TOO_LARGE', `Elements are nested deeper than ${MAX_XML_DEPTH}.`);
  } else if (!scan.root) {
    report.add('XML_MALFORMED', 'The text holds no element.');
  } else if (scan.root.namespace === CMMN_1_0_NAMESPACE) {
    report.add('UNSUPPORTED_NAMESPACE', 'This is CMMN 1.0; save the model as CMMN 1.1.');
  } else if (scan.root.localName !== 'definitions' || scan.root.namespace !== CMMN_NAMESPACE) {
    report.add('NOT_CMMN', `The outermost element must be "definitions" of ${CMMN_NAMESPACE}.`);
  } else {
    return true;
  }
  return false;
}

type Parsed = Pick<CmmnDocument, 'root' | 'references'> & { readonly warnings: readonly string[] };

function parse(xml: string): Promise<Parsed> {
  return new Promise((resolve, reject) => {
    new CmmnModdle().fromXML(xml, 'cmmn:Definitions', (error, root, context) => {
      if (error) return reject(error);
      if (!root) return reject(new Error('The text is not well-formed XML.'));
      resolve({
        root,
        references: context?.references ?? [],
        warnings: context?.warnings.map((warning) => warning.message) ?? [],
      });
    });
  });
}

const MALFORMED = /missing|unclosed|mismatch|malformed|unexpected end|outside of root/;

/** References and duplicate ids have rules of their own; the rest is an element or attribute nobody knows. */
function reportWarnings(warnings: readonly string[], report: Report): void {
  for (const warning of warnings) {
    if (warning.startsWith('unresolved reference') || warning.includes('duplicate ID')) continue;
    const illegalId = /illegal ID <([^>]*)>/.exec(warning)?.[1];
    const element = /unparsable content (<[^>]*>?)/.exec(warning)?.[1];
    if (illegalId !== undefined) {
      const code = /<(?:\w+:)?case>/.test(element ?? '') ? 'CASE_KEY_INVALID' : 'ID_INVALID';
      report.add(code, `The id "${illegalId}" is no XML name.`, { id: illegalId });
    } else if (MALFORMED.test(warning)) report.add('XML_MALFORMED', ...malformed(warning));
    else report.add('ELEMENT_UNKNOWN', `${element ?? 'An element'} is not known: ignored.`);
  }
}

/** What the parser says about a place, which it counts from 0. */
function malformed(message: string): [string, ProblemElement] {
  const [, line, column] = /line: (\d+)\s+column: (\d+)/.exec(message) ?? [];
  const location =
    line === undefined ? undefined : { line: Number(line) + 1, column: Number(column) + 1 };
  const reason = /nested error: (.*)/.exec(message)?.[1] ?? message;
  return [`Not well-formed: ${reason.slice(0, 200)}.`, { location }];
}
