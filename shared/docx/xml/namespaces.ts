import { XmlError } from './xml-error.ts';

/**
 * Namespaces by the prefix that their names get here, whatever prefix a file gives them; Transitional and Strict names
 * (ISO/IEC 29500-1 annex A) are the same.
 */
const PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    w: [
      'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
      'http://purl.oclc.org/ooxml/wordprocessingml/main',
    ],
    r: [
      'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
      'http://purl.oclc.org/ooxml/officeDocument/relationships',
    ],
    a: [
      'http://schemas.openxmlformats.org/drawingml/2006/main',
      'http://purl.oclc.org/ooxml/drawingml/main',
    ],
    wp: [
      'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
      'http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing',
    ],
    pic: [
      'http://schemas.openxmlformats.org/drawingml/2006/picture',
      'http://purl.oclc.org/ooxml/drawingml/picture',
    ],
    m: [
      'http://schemas.openxmlformats.org/officeDocument/2006/math',
      'http://purl.oclc.org/ooxml/officeDocument/math',
    ],
    mc: ['http://schemas.openxmlformats.org/markup-compatibility/2006'],
    wps: ['http://schemas.microsoft.com/office/word/2010/wordprocessingShape'],
    w14: ['http://schemas.microsoft.com/office/word/2010/wordml'],
    w15: ['http://schemas.microsoft.com/office/word/2012/wordml'],
    v: ['urn:schemas-microsoft-com:vml'],
    o: ['urn:schemas-microsoft-com:office:office'],
    xml: ['http://www.w3.org/XML/1998/namespace'],
    types: ['http://schemas.openxmlformats.org/package/2006/content-types'],
    rels: ['http://schemas.openxmlformats.org/package/2006/relationships'],
  }).flatMap(([prefix, uris]) => uris.map((uri): [string, string] => [uri, prefix])),
);

const XML_URI = 'http://www.w3.org/XML/1998/namespace';

/** The namespaces that are declared at one place of a document. */
export class NamespaceScope {
  readonly #declared: ReadonlyMap<string, string>;
  readonly #outer: NamespaceScope | undefined;
  readonly #elements = new Map<string, string>();
  readonly #attributes = new Map<string, string>();

  constructor(declared: ReadonlyMap<string, string>, outer?: NamespaceScope) {
    this.#declared = declared;
    this.#outer = outer;
  }

  static readonly outermost = (): NamespaceScope => new NamespaceScope(new Map([['xml', XML_URI]]));

  /** `w:p` for a name of a known namespace, `{uri}local` for another one, `local` without. */
  elementName(qualified: string): string {
    const known = this.#elements.get(qualified);
    if (known !== undefined) return known;
    const colon = qualified.indexOf(':');
    const uri = this.#uriOf(colon < 0 ? '' : qualified.slice(0, colon));
    const name = canonical(uri, qualified.slice(colon + 1));
    this.#elements.set(qualified, name);
    return name;
  }

  /** As of elements; a name without prefix is in no namespace. */
  attributeName(qualified: string): string {
    if (!qualified.includes(':')) return qualified;
    const known = this.#attributes.get(qualified);
    if (known !== undefined) return known;
    const name = this.elementName(qualified);
    this.#attributes.set(qualified, name);
    return name;
  }

  #uriOf(prefix: string): string {
    for (let scope: NamespaceScope | undefined = this; scope; scope = scope.#outer) {
      const uri = scope.#declared.get(prefix);
      if (uri !== undefined) return uri;
    }
    if (prefix === '') return '';
    throw new XmlError('malformed', `the prefix ${prefix.slice(0, 40)} is not declared`);
  }
}

function canonical(uri: string, local: string): string {
  if (uri === '') return local;
  const prefix = PREFIXES.get(uri);
  return prefix === undefined ? `{${uri}}${local}` : `${prefix}:${local}`;
}
