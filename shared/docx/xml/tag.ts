import { decodeXml } from './character-data.ts';
import { NamespaceScope } from './namespaces.ts';
import { XmlError } from './xml-error.ts';

/** A start tag or an empty element. */
export interface XmlTag {
  readonly start: number;
  readonly end: number;
  /** The name as `w:p`, whatever prefix the file uses; see `NamespaceScope.elementName`. */
  readonly name: string;
  /** The name as it is written. */
  readonly qualified: string;
  readonly isEmpty: boolean;
  /** The value of an attribute by its name as `w:val`, decoded. */
  attribute(name: string): string | undefined;
  /** Where an attribute stands, with its name and quotes. */
  attributeSpan(name: string): { readonly start: number; readonly end: number } | undefined;
  /** The prefix that the file gives to a namespace, with its colon: of `w:p` in `x:p`, `x:`. */
  readonly prefix: string;
}

const NAME = /[A-Za-z_:\u00c0-\ufffd][\w.:\-\u00b7-\ufffd]*/y;
const SPACE = /\s*/y;
const EQUALS = /\s*=\s*/y;
const QUOTES = ['"', "'"];
/** Attributes of a tag that are compared with each other one by one; more of them by a set. */
const FEW = 16;

/** Reads one tag after the other into the same object. */
export class TagReader implements XmlTag {
  start = 0;
  end = 0;
  name = '';
  qualified = '';
  isEmpty = false;
  readonly #xml: string;
  /** Of each attribute where its name begins and ends, and its value. */
  readonly #spans: number[] = [];
  #count = 0;
  #scope = NamespaceScope.outermost();

  constructor(xml: string) {
    this.#xml = xml;
  }

  get attributes(): number {
    return this.#count;
  }

  get prefix(): string {
    return this.qualified.slice(0, this.qualified.indexOf(':') + 1);
  }

  attribute(name: string): string | undefined {
    const index = this.#find(name);
    return index < 0 ? undefined : decodeXml(this.#slice(index, 2));
  }

  attributeSpan(name: string): { start: number; end: number } | undefined {
    const index = this.#find(name);
    if (index < 0) return undefined;
    return { start: this.#spans[index * 4] ?? 0, end: (this.#spans[index * 4 + 3] ?? 0) + 1 };
  }

  /** Reads the tag at an offset. @throws XmlError */
  read(start: number): void {
    this.start = start;
    this.#count = 0;
    const xml = this.#xml;
    let at = this.#match(NAME, start + 1);
    if (at < 0) throw malformed('a name is missing after <');
    this.qualified = xml.slice(start + 1, at);
    for (;;) {
      const next = this.#match(SPACE, at);
      if (xml.startsWith('>', next) || xml.startsWith('/>', next)) {
        this.isEmpty = xml.startsWith('/', next);
        this.end = next + (this.isEmpty ? 2 : 1);
        break;
      }
      if (next === at) throw malformed(`the tag ${this.qualified.slice(0, 40)} does not end`);
      at = this.#attribute(next);
    }
    const less = xml.indexOf('<', start + 1);
    if (less >= 0 && less < this.end) throw malformed('an attribute has a <');
    this.#refuseTwins();
  }

  /** Finds the names of the tag; returns the scope of its content. @throws XmlError */
  resolve(outer: NamespaceScope): NamespaceScope {
    this.#scope = this.#declare(outer);
    this.name = this.#scope.elementName(this.qualified);
    for (let index = 0; index < this.#count; index += 1) {
      const name = this.#slice(index, 0);
      if (!name.startsWith('xmlns:')) this.#scope.attributeName(name);
    }
    return this.#scope;
  }

  #declare(outer: NamespaceScope): NamespaceScope {
    let declared: Map<string, string> | undefined;
    for (let index = 0; index < this.#count; index += 1) {
      if (!this.#xml.startsWith('xmlns', this.#spans[index * 4])) continue;
      const name = this.#slice(index, 0);
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      declared ??= new Map();
      declared.set(name.slice(6), decodeXml(this.#slice(index, 2)));
    }
    return declared ? new NamespaceScope(declared, outer) : outer;
  }

  #attribute(start: number): number {
    const nameEnd = this.#match(NAME, start);
    const valueAt = nameEnd < 0 ? -1 : this.#match(EQUALS, nameEnd);
    const quote = this.#xml[valueAt] ?? '';
    if (valueAt < 0 || !QUOTES.includes(quote))
      throw malformed(`an attribute of ${this.qualified.slice(0, 40)} has no value`);
    const end = this.#xml.indexOf(quote, valueAt + 1);
    if (end < 0) throw malformed(`an attribute of ${this.qualified.slice(0, 40)} does not end`);
    this.#spans[this.#count * 4] = start;
    this.#spans[this.#count * 4 + 1] = nameEnd;
    this.#spans[this.#count * 4 + 2] = valueAt + 1;
    this.#spans[this.#count * 4 + 3] = end;
    this.#count += 1;
    return end + 1;
  }

  #refuseTwins(): void {
    if (this.#count < 2) return;
    const seen = this.#count > FEW ? new Set<string>() : undefined;
    for (let index = 0; index < this.#count; index += 1) {
      const name = this.#slice(index, 0);
      if (seen ? seen.has(name) : this.#isBefore(name, index))
        throw malformed(`the attribute ${name.slice(0, 40)} stands twice`);
      seen?.add(name);
    }
  }

  #isBefore(name: string, index: number): boolean {
    for (let other = 0; other < index; other += 1) if (this.#slice(other, 0) === name) return true;
    return false;
  }

  #find(name: string): number {
    for (let index = 0; index < this.#count; index += 1) {
      const written = this.#slice(index, 0);
      if (!written.startsWith('xmlns') && this.#scope.attributeName(written) === name) return index;
    }
    return -1;
  }

  /** The name of an attribute (0) or its value as it is written (2). */
  #slice(index: number, part: 0 | 2): string {
    return this.#xml.slice(this.#spans[index * 4 + part], this.#spans[index * 4 + part + 1]);
  }

  /** Where a match at an offset ends; -1 without one. */
  #match(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.test(this.#xml) ? pattern.lastIndex : -1;
  }
}

const malformed = (message: string): XmlError => new XmlError('malformed', message);
