import type { MergeCondition } from './if-field.ts';

/** A place of a template that is filled. */
export type Occurrence =
  | {
      readonly kind: 'field';
      readonly name: string;
      readonly switches: string | undefined;
      /** The marker as it is written. */
      readonly raw: string;
      /** It stands between guillemets, and keeps them while nothing is known of it. */
      readonly isQuoted: boolean;
      readonly hasControl: boolean;
      readonly isCopy: boolean;
      readonly part: string;
    }
  | { readonly kind: 'if'; readonly condition: MergeCondition; readonly part: string };

/** First characters of the private use areas; a pair that no part of a document has becomes the delimiters. */
const FIRST = 0xe000;
const LAST = 0xf8fe;

/**
 * The tags that docxtemplater reads. A document cannot have them by itself: their delimiters occur nowhere in it, and the
 * names are numbers of this table.
 */
export class TemplateTags {
  readonly occurrences: Occurrence[] = [];
  /** Names of lists and conditions. */
  readonly sections: string[] = [];
  readonly start: string;
  readonly end: string;

  /** @param texts the XML of all parts */
  constructor(texts: readonly string[]) {
    const isFree = (code: number): boolean =>
      texts.every((text) => !text.includes(String.fromCharCode(code)));
    let code = FIRST;
    while (code < LAST && !(isFree(code) && isFree(code + 1))) code += 2;
    this.start = String.fromCharCode(code);
    this.end = String.fromCharCode(code + 1);
  }

  field(occurrence: Occurrence): string {
    this.occurrences.push(occurrence);
    return this.#tag(`v${this.occurrences.length - 1}`);
  }

  /** The tags around what is repeated for a list, or shown under a condition. */
  section(name: string, kind: 'shown' | 'hidden' | 'row'): { open: string; close: string } {
    this.sections.push(name);
    const id = `s${this.sections.length - 1}`;
    const sign = { shown: '#', hidden: '^', row: '-w:tr ' }[kind];
    return { open: this.#tag(`${sign}${id}`), close: this.#tag(`/${id}`) };
  }

  #tag = (content: string): string => `${this.start}${content}${this.end}`;
}
