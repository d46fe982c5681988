import CmmnModdle, {
  type ModdleElement,
  type ModdleReference,
  type ModdleWarning,
} from 'cmmn-moddle';
import { shown } from '../basics/cmmn-error.ts';
import type { Report, SourceLocation } from '../basics/problem.ts';
import { LimitError, limitedHandler } from './limited-handler.ts';
import { type SourceScan, scanSource } from './source-locations.ts';

/** Makes the types of the meta-model once; every document is read with it. */
const META_MODEL = new CmmnModdle();

/** Largest model, in characters. */
const MAX_XML_LENGTH = 1024 * 1024;
/** Deepest nesting of elements; the reader of a stage calls itself for the stages in it. */
const MAX_XML_DEPTH = 200;
/** Most prefixes of namespaces; the parser copies them wherever another one is declared. */
const MAX_PREFIXES = 100;
/** Ids are stored with every instance, and hosts build keys from them. */
const MAX_ID_LENGTH = 255;
/** Ids that mean something to the language that runs the engine, whatever object they are looked up in. */
const RESERVED_IDS: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

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
    reportIds(scan, report);
    reportWarnings(warnings, scan, report);
    return { root, references, scan };
  } catch (error) {
    reportFailure(error as Error, report);
    return undefined;
  }
}

function reportFailure(error: Error, report: Report): void {
  if (error instanceof LimitError) {
    report.add(error.code, error.message);
    return;
  }
  const { reason, location } = placeOf(error.message);
  report.add('XML_MALFORMED', `Not well-formed: ${reason}.`, { location });
}

function isReadable(scan: SourceScan, report: Report): boolean {
  if (scan.hasDoctype) {
    report.add('XML_DTD_FORBIDDEN', 'A model must not have a document type.');
  } else if (scan.depth > MAX_XML_DEPTH) {
    report.add('XML_TOO_LARGE', `Elements are nested deeper than ${MAX_XML_DEPTH}.`);
  } else if (scan.prefixCount > MAX_PREFIXES) {
    report.add('XML_TOO_LARGE', `More than ${MAX_PREFIXES} prefixes of namespaces are declared.`);
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

type Parsed = Pick<CmmnDocument, 'root' | 'references'> & {
  readonly warnings: readonly ModdleWarning[];
};

function parse(xml: string): Promise<Parsed> {
  return new Promise((resolve, reject) => {
    META_MODEL.fromXML(
      xml,
      'cmmn:Definitions',
      { handler: limitedHandler },
      (error, root, context) => {
        if (error) return reject(error);
        if (!root) return reject(new Error('The text is not well-formed XML.'));
        resolve({ root, references: context?.references ?? [], warnings: context?.warnings ?? [] });
      },
    );
  });
}

const MALFORMED = /missing|unclosed|mismatch|malformed|unexpected end|outside of root/;

/** Ids that are XML names, but cannot be looked up as they stand, or are too long to be stored with every instance. */
function reportIds({ byId }: SourceScan, report: Report): void {
  for (const [id, location] of byId) {
    const isTooLong = id.length > MAX_ID_LENGTH && location.tag !== 'case';
    if (!RESERVED_IDS.has(id) && !id.includes('&') && !isTooLong) continue;
    const code = location.tag === 'case' ? 'CASE_KEY_INVALID' : 'ID_INVALID';
    const why = isTooLong ? `has more than ${MAX_ID_LENGTH} characters` : 'cannot be used';
    report.add(code, `The id "${shown(id)}" ${why}.`, { id, location });
  }
}

/** References have rules of their own, repeated ids that were found before too; the rest is unknown. */
function reportWarnings(
  warnings: readonly ModdleWarning[],
  scan: SourceScan,
  report: Report,
): void {
  for (const { message, element, property } of warnings) {
    if (message.startsWith('unresolved reference')) continue;
    if (element) {
      const location = scan.byId.get(element.id ?? '');
      const unknown = `The attribute "${property}" is not known: ignored.`;
      report.add('ELEMENT_UNKNOWN', unknown, { id: element.id, location });
    } else reportUnreadable(message, scan, report);
  }
}

/** Content that the parser has stepped over. */
function reportUnreadable(message: string, scan: SourceScan, report: Report): void {
  const { tag, reason, location } = placeOf(message);
  const illegalId = /^illegal ID <([^>]*)>/.exec(reason)?.[1];
  const repeatedId = /^duplicate ID <([^>]*)>/.exec(reason)?.[1];
  if (illegalId !== undefined) {
    const code = /^<(?:\w+:)?case>/.test(tag) ? 'CASE_KEY_INVALID' : 'ID_INVALID';
    report.add(code, `The id "${illegalId}" is no XML name.`, { id: illegalId, location });
  } else if (repeatedId !== undefined) {
    if (scan.duplicates.has(repeatedId)) return;
    const message = `The id "${repeatedId}" is used again.`;
    report.add('DUPLICATE_ID', message, { id: repeatedId, location });
  } else if (MALFORMED.test(reason.replace(/<[^>]*>/g, ''))) {
    report.add('XML_MALFORMED', `Not well-formed: ${reason}.`, { location });
  } else {
    report.add('ELEMENT_UNKNOWN', `${tag ? `${tag}: ` : ''}${reason}: ignored.`, { location });
  }
}

/** A place as the parser reports it, counted from 0. */
function placeOf(message: string): { tag: string; reason: string; location?: SourceLocation } {
  const [, line, column] = /line: (\d+)\s+column: (\d+)/.exec(message) ?? [];
  const location =
    line === undefined ? undefined : { line: Number(line) + 1, column: Number(column) + 1 };
  const tag = /unparsable content (<[^>]*>?)/.exec(message)?.[1] ?? '';
  const reason = /nested error: (.*)/.exec(message)?.[1] ?? message;
  return { tag, reason: reason.slice(0, 200), location };
}
