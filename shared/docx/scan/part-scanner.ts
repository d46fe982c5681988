import { BARRIER } from '../markers/text-markers.ts';
import type { PartRole } from '../package/docx-package.ts';
import { decodeXml } from '../xml/character-data.ts';
import type { XmlTag } from '../xml/tag.ts';
import type { XmlVisitor } from '../xml/tokenise.ts';
import { BlockContents } from './block-controls.ts';
import { ControlTracker } from './control-tracker.ts';
import { ANCHORS, CONTAINERS, DELETED, WEIGHTLESS, WEIGHTLESS_IN_RUN } from './elements.ts';
import type { FieldPlace, FieldReading } from './field-tracker.ts';
import type { OpenElement, Paragraph, TextPiece } from './part-model.ts';
import { RunTracker } from './run-tracker.ts';
import { Stories } from './story.ts';

/** Collects the paragraphs, runs, fields and controls of a part while its XML is read. */
export class PartScanner implements XmlVisitor {
  readonly stories: Stories;
  readonly runs = new RunTracker();
  readonly controls = new ControlTracker();
  readonly blocks = new BlockContents();
  readonly #xml: string;
  #deleted = 0;
  #element: OpenElement | undefined;
  #piece: TextPiece | undefined;
  #instruction: string | undefined;

  /** See `Stories`. */
  constructor(
    xml: string,
    role: PartRole,
    reading: FieldReading,
    done: (paragraph: Paragraph) => void,
  ) {
    this.#xml = xml;
    this.stories = new Stories(role, reading, done);
  }

  open(tag: XmlTag): void {
    const { name, prefix, start, end } = tag;
    const element = { name, prefix, start, contentStart: end, parent: this.#element };
    this.#element = element;
    if (DELETED.has(name)) this.#deleted += 1;
    if (this.#deleted > 0) return;
    if (stops(element)) this.#barrier();
    this.runs.opened(element);
    this.stories.opened(element);
    this.controls.opened(element, tag, this.stories.paragraph);
    if (name === 'w:tbl') this.blocks.addTable(element);
    if (name === 'w:t') this.#openText(element);
    else if (name === 'w:instrText') this.#instruction = '';
    else if (name === 'w:fldSimple') this.#openField(element, tag);
    else if (name === 'w:fldChar') this.#fieldCharacter(element, tag);
  }

  close(name: string, start: number, end: number): void {
    const element = this.#element;
    if (!element) return;
    this.#element = element.parent;
    if (this.#deleted === 0) this.#closed(element, start, end);
    else if (DELETED.has(name)) this.#deleted -= 1;
  }

  text(start: number, end: number, literal: boolean): void {
    if (this.#piece === undefined && this.#instruction === undefined) return;
    const raw = this.#xml.slice(start, end);
    const text = literal ? raw : decodeXml(raw);
    if (this.#piece) this.#piece.text += text;
    if (this.#instruction !== undefined) this.#instruction += text;
  }

  #closed(element: OpenElement, start: number, end: number): void {
    if (element.name === 'w:t') this.#closeText(end);
    else if (element.name === 'w:instrText') this.#closeInstruction();
    else if (element.name === 'w:fldSimple') this.#closeField(start, end);
    else if (element.name === 'w:pPr') this.#closeProperties(element, end);
    else if (element.name === 'w:p') this.#closeParagraph(element, start);
    this.controls.closed(element, start, end);
    this.stories.closed(element);
    this.runs.closed(element, end);
  }

  #closeProperties({ parent }: OpenElement, end: number): void {
    const { paragraph } = this.stories;
    if (paragraph && parent === paragraph.element) paragraph.content.start = end;
  }

  #closeParagraph(element: OpenElement, start: number): void {
    const { paragraph } = this.stories;
    if (!paragraph || start < element.contentStart) return;
    paragraph.content.end = start;
    this.blocks.addParagraph(paragraph);
  }

  #openText(element: OpenElement): void {
    const run = this.runs.ofChild(element);
    if (!run || !this.stories.paragraph) return;
    this.stories.tracker?.resultRun(run);
    const { start } = element;
    this.#piece = { run, control: this.controls.innermost, start, end: start, text: '', at: 0 };
  }

  #closeText(end: number): void {
    const [piece, { paragraph, tracker }] = [this.#piece, this.stories];
    this.#piece = undefined;
    if (!piece || !paragraph) return;
    piece.end = end;
    if (tracker?.isInMergeResult) this.#barrier();
    else {
      piece.at = paragraph.text.length;
      paragraph.text += piece.text;
      paragraph.pieces.push(piece);
    }
  }

  #closeInstruction(): void {
    const run = this.runs.innermost;
    if (run) this.stories.tracker?.instructionText(this.#instruction ?? '', run);
    this.#instruction = undefined;
  }

  #openField(element: OpenElement, tag: XmlTag): void {
    const place = this.#placeIn(element.parent ?? element);
    if (place) this.stories.tracker?.beginSimple(element, tag.attribute('w:instr') ?? '', place);
  }

  #closeField(start: number, end: number): void {
    const { paragraph, tracker } = this.stories;
    if (paragraph) tracker?.endSimple({ start, end }, paragraph);
    this.#barrier();
  }

  #fieldCharacter(element: OpenElement, tag: XmlTag): void {
    const run = this.runs.ofChild(element);
    const place = run && this.#placeIn(run.parent);
    if (!run || !place) return;
    const mark = { start: tag.start, end: tag.isEmpty ? tag.end : this.#endOfElement(tag) };
    this.stories.tracker?.character(tag.attribute('w:fldCharType'), run, mark, place);
  }

  #placeIn(parent: OpenElement): FieldPlace | undefined {
    const { paragraph } = this.stories;
    return paragraph && { paragraph, control: this.controls.innermost, parent };
  }

  /** Where a `w:fldChar` with content ends: its content (`w:ffData`) holds no other one. */
  #endOfElement(tag: XmlTag): number {
    const end = this.#xml.indexOf(`</${tag.qualified}`, tag.end);
    return this.#xml.indexOf('>', end) + 1;
  }

  #barrier(): void {
    const { paragraph } = this.stories;
    if (paragraph && !paragraph.text.endsWith(BARRIER)) paragraph.text += BARRIER;
  }
}

/** Whether no marker goes over an element. */
function stops({ name, parent }: OpenElement): boolean {
  if (parent === undefined || name === 'w:fldSimple') return true;
  if (parent.name === 'w:r') return !WEIGHTLESS_IN_RUN.has(name);
  if (!CONTAINERS.has(parent.name)) return false;
  return name !== 'w:r' && ![WEIGHTLESS, ANCHORS, CONTAINERS].some((names) => names.has(name));
}
