import { checkCharacters, checkReferences } from './character-data.ts';
import { NamespaceScope } from './namespaces.ts';
import { TagReader, type XmlTag } from './tag.ts';
import { XmlError } from './xml-error.ts';

/** Handlers, called in the order of the document. Offsets are those of the text that is read. */
export interface XmlVisitor {
  /** A start tag, or an empty element: then `close` follows with the same offsets. The tag is valid only during the call. */
  open?(tag: XmlTag): void;
  /** An end tag; `name` as of its start tag. */
  close?(name: string, start: number, end: number): void;
  /** Characters between tags; those of a CDATA section without its delimiters, which `literal` says. */
  text?(start: number, end: number, literal: boolean): void;
}

export interface XmlLimits {
  readonly depth: number;
  /** Remaining allowance of tags, attributes and texts for this document and those after it. */
  readonly budget: { tokens: number };
}

const LESS_THAN = 0x3c;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const BLANK = /^[\s\ufeff]*$/;
const CLOSE_TAG = /<\/([^\s>]+)\s*>/y;

interface OpenElement {
  readonly qualified: string;
  readonly name: string;
  readonly scope: NamespaceScope;
}

/**
 * Reads well-formed XML with namespaces. There is no document type and so no entity: a DOCTYPE is refused.
 * @throws XmlError
 */
export function tokenise(xml: string, visitor: XmlVisitor, limits: XmlLimits): void {
  checkCharacters(xml);
  new Tokeniser(xml, visitor, limits).read();
}

class Tokeniser {
  readonly #xml: string;
  readonly #visitor: XmlVisitor;
  readonly #limits: XmlLimits;
  readonly #open: OpenElement[] = [];
  readonly #tag: TagReader;
  #scope = NamespaceScope.outermost();
  #at = 0;
  #ampersand = -1;
  #hasRoot = false;

  constructor(xml: string, visitor: XmlVisitor, limits: XmlLimits) {
    this.#xml = xml;
    this.#visitor = visitor;
    this.#limits = limits;
    this.#tag = new TagReader(xml);
  }

  read(): void {
    const xml = this.#xml;
    while (this.#at < xml.length) {
      this.#spend(1);
      if (xml.charCodeAt(this.#at) !== LESS_THAN) this.#text();
      else this.#markup(xml.charCodeAt(this.#at + 1));
    }
    if (this.#open.length > 0 || !this.#hasRoot) throw malformed('the document ends too early');
  }

  #markup(next: number): void {
    if (next === SLASH) this.#closeTag();
    else if (next === BANG) this.#declaration();
    else if (next === QUESTION) this.#instruction();
    else this.#openTag();
  }

  #text(): void {
    const next = this.#xml.indexOf('<', this.#at);
    const [start, end] = [this.#at, next < 0 ? this.#xml.length : next];
    if (this.#open.length === 0) {
      if (!BLANK.test(this.#xml.slice(start, end))) throw malformed('text stands outside the root');
    } else {
      this.#checkReferences(start, end);
      this.#visitor.text?.(start, end, false);
    }
    this.#at = end;
  }

  #openTag(): void {
    const tag = this.#tag;
    tag.read(this.#at);
    this.#spend(tag.attributes);
    this.#checkReferences(tag.start, tag.end);
    if (this.#open.length === 0 && this.#hasRoot) throw malformed('there is a second root');
    if (this.#open.length >= this.#limits.depth)
      throw new XmlError('complex', `elements are nested more than ${this.#limits.depth} deep`);
    this.#hasRoot = true;
    const outer = this.#scope;
    this.#scope = tag.resolve(outer);
    this.#at = tag.end;
    this.#visitor.open?.(tag);
    if (tag.isEmpty) {
      this.#visitor.close?.(tag.name, tag.start, tag.end);
      this.#scope = outer;
    } else this.#open.push({ qualified: tag.qualified, name: tag.name, scope: outer });
  }

  #closeTag(): void {
    CLOSE_TAG.lastIndex = this.#at;
    const qualified = CLOSE_TAG.exec(this.#xml)?.[1];
    const opened = this.#open.pop();
    if (qualified === undefined || opened?.qualified !== qualified)
      throw malformed(
        `an end tag does not match ${opened?.qualified.slice(0, 40) ?? 'any start tag'}`,
      );
    const start = this.#at;
    this.#at = CLOSE_TAG.lastIndex;
    this.#visitor.close?.(opened.name, start, this.#at);
    this.#scope = opened.scope;
  }

  /** A comment or a CDATA section; a DOCTYPE is refused. */
  #declaration(): void {
    if (this.#xml.startsWith('<!--', this.#at)) {
      this.#at = this.#after('-->', this.#at + 4);
      return;
    }
    if (!this.#xml.startsWith('<![CDATA[', this.#at) || this.#open.length === 0)
      throw malformed('a document type or another declaration is not allowed');
    const start = this.#at + 9;
    this.#at = this.#after(']]>', start);
    this.#visitor.text?.(start, this.#at - 3, true);
  }

  #instruction(): void {
    const isXml = /^<\?xml[\s?]/i.test(this.#xml.slice(this.#at, this.#at + 6));
    if (isXml && this.#at > 1) throw malformed('the XML declaration is not at the beginning');
    this.#at = this.#after('?>', this.#at + 2);
  }

  #after(end: string, from: number): number {
    const at = this.#xml.indexOf(end, from);
    if (at < 0) throw malformed(`${end} is missing`);
    return at + end.length;
  }

  #checkReferences(start: number, end: number): void {
    if (this.#ampersand < start) {
      const next = this.#xml.indexOf('&', start);
      this.#ampersand = next < 0 ? this.#xml.length : next;
    }
    if (this.#ampersand < end) checkReferences(this.#xml.slice(start, end));
  }

  #spend(tokens: number): void {
    this.#limits.budget.tokens -= tokens;
    if (this.#limits.budget.tokens < 0)
      throw new XmlError('complex', 'there are too many elements');
  }
}

const malformed = (message: string): XmlError => new XmlError('malformed', message);
