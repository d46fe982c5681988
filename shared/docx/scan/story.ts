import type { PartRole } from '../package/docx-package.ts';
import { type FieldReading, FieldTracker } from './field-tracker.ts';
import type { MarkerLocation, OpenElement, Paragraph, WordField } from './part-model.ts';

/** A part, or a text box: its paragraphs that are open, and its fields. */
interface Story {
  readonly paragraphs: Paragraph[];
  readonly fields: FieldTracker;
}

const LOCATIONS: Readonly<Record<PartRole, MarkerLocation | undefined>> = {
  BODY: undefined,
  HEADER: 'HEADER',
  FOOTER: 'FOOTER',
  FOOTNOTES: 'FOOTNOTE',
  ENDNOTES: 'ENDNOTE',
};

/** The paragraphs of a part. Text boxes in it have fields and paragraphs of their own. */
export class Stories {
  readonly fields: WordField[] = [];
  readonly unclosedFields: WordField[] = [];
  readonly #open: Story[] = [];
  readonly #location: MarkerLocation | undefined;
  readonly #reading: FieldReading;
  readonly #done: (paragraph: Paragraph) => void;
  #tables = 0;
  #fallbacks = 0;
  #count = 0;

  /**
   * @param done is handed each paragraph at its end; nothing else keeps one in which there is no marker
   */
  constructor(role: PartRole, reading: FieldReading, done: (paragraph: Paragraph) => void) {
    this.#done = done;
    this.#location = LOCATIONS[role];
    this.#reading = reading;
    this.#openStory();
  }

  /** The innermost paragraph, and the fields of its story. */
  get paragraph(): Paragraph | undefined {
    return this.#open.at(-1)?.paragraphs.at(-1);
  }

  get tracker(): FieldTracker | undefined {
    return this.#open.at(-1)?.fields;
  }

  opened(element: OpenElement): void {
    this.#count += element.name === 'w:p' && this.#fallbacks === 0 ? 1 : 0;
    if (element.name === 'w:p') this.#openParagraph(element);
    else if (element.name === 'w:txbxContent') this.#openStory();
    else this.#enter(element.name, 1);
  }

  closed({ name }: OpenElement): void {
    if (name === 'w:p') this.#closeParagraph();
    else if (name === 'w:txbxContent') this.closeStory();
    else this.#enter(name, -1);
  }

  closeStory(): void {
    for (const field of this.#open.pop()?.fields.open ?? []) this.unclosedFields.push(field);
  }

  #openStory(): void {
    this.#open.push({ paragraphs: [], fields: new FieldTracker(this.fields, this.#reading) });
  }

  #openParagraph(element: OpenElement): void {
    const inBox = this.#open.length > 1;
    const paragraph: Paragraph = {
      element,
      number: this.#count,
      location: this.#location ?? (inBox ? 'TEXT_BOX' : this.#tables > 0 ? 'TABLE' : 'BODY'),
      inFallback: this.#fallbacks > 0,
      pieces: [],
      controls: [],
      content: { start: element.contentStart, end: 0 },
      text: '',
    };
    this.#open.at(-1)?.paragraphs.push(paragraph);
  }

  #closeParagraph(): void {
    const paragraph = this.#open.at(-1)?.paragraphs.pop();
    if (paragraph) this.#done(paragraph);
  }

  #enter(name: string, by: 1 | -1): void {
    if (name === 'w:tc') this.#tables += by;
    else if (name === 'mc:Fallback') this.#fallbacks += by;
  }
}
