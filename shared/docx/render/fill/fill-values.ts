import { DocxRefused } from '../../docx-refused.ts';
import { evaluateIf } from '../contract/if-field.ts';
import {
  type FieldValue,
  type LockedValue,
  type RenderRequest,
  Row,
  type Shown,
} from '../contract/request.ts';
import type { Occurrence, TemplateTags } from '../contract/template-tags.ts';
import { between, fieldXml, textXml } from '../contract/text-xml.ts';

/** Pictures that are put in once their bytes are made. */
export type Picture = Exclude<Shown, { kind: 'text' | 'page' | 'pageCount' }>;

/** Stands for a picture until it is made. */
const pictureMark = (index: number): string => `<svc:picture n="${index}"/>`;
export const PICTURE_MARK = /<svc:picture n="(\d+)"\/>/g;
/** Stands in a paragraph that is removed unless something else is in it. */
export const EMPTY_MARK = '<svc:empty/>';

/** Most elements that are shown, each time they are: a row takes about 2 KB of the document. */
const MAX_ROWS = 20_000;

type FieldOccurrence = Extract<Occurrence, { kind: 'field' }>;

/** Fills the places of a document in the order in which they stand there. */
export class ValueFiller {
  readonly pictures: Picture[] = [];
  /** For each control, in the order of the parts and of each part, whether it is locked. */
  readonly locks = new Map<string, boolean[]>();
  readonly lockedValues: LockedValue[] = [];
  #rows = 0;
  readonly #tags: TemplateTags;
  readonly #request: RenderRequest;

  constructor(tags: TemplateTags, request: RenderRequest) {
    this.#tags = tags;
    this.#request = request;
  }

  fill(index: number, rows: readonly Row[], prefix: string): string {
    const occurrence = this.#tags.occurrences[index];
    if (occurrence === undefined) return '';
    if (occurrence.kind === 'field') return this.#field(occurrence, rows, prefix);
    const text = evaluateIf(occurrence.condition, (name, switches) => {
      const { shown } = this.#request.valueOf(name, switches, rows);
      return shown.kind === 'text' ? shown.text : '';
    });
    return textXml(text, prefix);
  }

  /** Value of a section. @throws DocxRefused for more than 20000 rows */
  rows(name: string, outer: readonly Row[]): readonly Row[] | boolean {
    const list = this.#request.listOf(name, outer);
    if (list === undefined) return this.#request.isTrue(name, outer);
    this.#rows += list.length;
    if (this.#rows > MAX_ROWS) {
      const message = `Lists are repeated more than ${MAX_ROWS} times in the document.`;
      throw new DocxRefused('DOCX_TOO_COMPLEX', message);
    }
    return list.map((element, index) => new Row(name, element, index + 1));
  }

  #field(occurrence: FieldOccurrence, rows: readonly Row[], prefix: string): string {
    const { name, switches, part, hasControl, isCopy } = occurrence;
    const value = this.#request.valueOf(name, switches, rows);
    const isLocked = hasControl && this.#isLocked(value);
    if (hasControl) this.#locksOf(part).push(isLocked);
    const shown = this.#shown(value, occurrence);
    if (shown === EMPTY_MARK) return between(EMPTY_MARK, prefix);
    if (isLocked && shown.kind === 'text')
      this.lockedValues.push({ part, name, text: shown.text, isCopy });
    return this.#xml(shown, prefix);
  }

  #locksOf(part: string): boolean[] {
    const locks = this.locks.get(part) ?? [];
    this.locks.set(part, locks);
    return locks;
  }

  #isLocked({ isBound, lockedInOutput }: FieldValue): boolean {
    const { lockType } = this.#request;
    return lockType === 'TYPE_1' ? lockedInOutput : lockType === 'TYPE_2' && isBound;
  }

  #shown(value: FieldValue, { isQuoted, raw, name }: FieldOccurrence): Shown | typeof EMPTY_MARK {
    if (!value.isEmpty) return value.shown;
    const text = (shown: string): Shown => ({ kind: 'text', text: shown });
    const { unused } = this.#request;
    if (unused === 'NAME') return text(`«${name}»`);
    if (isQuoted || unused === 'KEEP_MARKER') return text(raw);
    return unused === 'REMOVE_PARAGRAPH' ? EMPTY_MARK : text('');
  }

  #xml(shown: Shown, prefix: string): string {
    if (shown.kind === 'text') return textXml(shown.text, prefix);
    if (shown.kind === 'page') return fieldXml('PAGE', '1', prefix);
    if (shown.kind === 'pageCount') return fieldXml('NUMPAGES', '1', prefix);
    this.pictures.push(shown);
    return between(pictureMark(this.pictures.length - 1), prefix);
  }
}
