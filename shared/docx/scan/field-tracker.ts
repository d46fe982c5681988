import type { DocxLimits } from '../docx-limits.ts';
import { DocxRefused } from '../docx-refused.ts';
import { isExternalField, parseMergeField } from '../markers/instruction.ts';
import type { Control, OpenElement, Paragraph, Run, Span, WordField } from './part-model.ts';

/** Where something of a field stands. */
export interface FieldPlace {
  readonly paragraph: Paragraph;
  readonly control: Control | undefined;
  readonly parent: OpenElement;
}

/** How fields are read. */
export interface FieldReading {
  /** Offsets of begin characters of fields that have no end. */
  readonly ignored: ReadonlySet<number>;
  /** As many fields may be within each other as elements. */
  readonly limits: Pick<DocxLimits, 'xmlDepth'>;
}

/** The fields of one story (a part, or a text box), as their characters come by. */
export class FieldTracker {
  /** All that ended, in the order of their ends. */
  readonly ended: WordField[];
  readonly #open: WordField[] = [];
  readonly #reading: FieldReading;

  constructor(ended: WordField[], reading: FieldReading) {
    this.ended = ended;
    this.#reading = reading;
  }

  get open(): readonly WordField[] {
    return this.#open;
  }

  /** Whether text is the cached result of a MERGEFIELD. */
  get isInMergeResult(): boolean {
    return this.#open.some(
      ({ phase, instruction }) => phase === 'result' && parseMergeField(instruction) !== undefined,
    );
  }

  beginSimple(element: OpenElement, instruction: string, place: FieldPlace): void {
    const field = this.#begin(element.start, undefined, place);
    field.instruction = instruction;
    field.instructionRuns = 1;
    field.phase = 'result';
    field.content = { start: element.contentStart, end: element.contentStart };
  }

  /** @param close where its end tag stands */
  endSimple(close: Span, paragraph: Paragraph): void {
    const index = this.#open.findLastIndex(({ begin }) => begin === undefined);
    const field = this.#open[index];
    if (!field?.content) return;
    this.#open.length = index;
    field.content = { start: field.content.start, end: Math.max(field.content.start, close.start) };
    this.#end(field, close.end, paragraph);
  }

  character(type: string | undefined, run: Run, mark: Span, place: FieldPlace): void {
    const field = this.#open.at(-1);
    if (type === 'begin') {
      if (!this.#reading.ignored.has(mark.start)) this.#begin(mark.start, { run, mark }, place);
    } else if (field?.begin === undefined) return;
    else if (type === 'separate') {
      field.phase = 'result';
      field.separate = { run, mark };
    } else if (type === 'end') {
      this.#open.pop();
      field.endMark = { run, mark };
      this.#end(field, mark.end, place.paragraph);
    }
  }

  instructionText(text: string, run: Run): void {
    const field = this.#open.at(-1);
    if (field?.phase !== 'instruction') return;
    field.instruction += text;
    field.instructionRuns += 1;
    field.instructionFormat ??= run;
  }

  /** A run of text in the result of fields: the first one has their format. */
  resultRun(run: Run): void {
    for (const field of this.#open) if (field.phase === 'result') field.resultFormat ??= run;
  }

  #begin(start: number, begin: WordField['begin'], place: FieldPlace): WordField {
    const field: WordField = {
      ...place,
      begin,
      start,
      nested: this.#open.some(({ phase }) => phase === 'instruction'),
      instruction: '',
      instructionRuns: 0,
      phase: 'instruction',
      separate: undefined,
      content: undefined,
      endMark: undefined,
      end: start,
      endParagraph: undefined,
      instructionFormat: undefined,
      resultFormat: undefined,
    };
    this.#open.push(field);
    if (this.#open.length > this.#reading.limits.xmlDepth)
      throw new DocxRefused('DOCX_TOO_COMPLEX', 'Too many fields are within each other.');
    return field;
  }

  #end(field: WordField, end: number, paragraph: Paragraph): void {
    field.end = end;
    field.endParagraph = paragraph;
    if (parseMergeField(field.instruction) || isExternalField(field.instruction))
      this.ended.push(field);
  }
}
