import type { Run, Span } from '../scan/part-model.ts';
import { encodeText } from '../xml/character-data.ts';

/** A place between the children of a run, or between two characters of one of its texts. */
export interface CutPoint {
  readonly run: Run;
  /** The element in which it is. */
  readonly element: Span;
  /** The text of that element before and after it; of other elements empty. */
  readonly before: string;
  readonly after: string;
  /** How many characters are before it. */
  readonly offset: number;
}

/** A part to remove between two places, and its replacement. */
export interface Cut {
  readonly from: CutPoint;
  readonly to: CutPoint;
  readonly replacement: string;
}

export interface Edit extends Span {
  readonly text: string;
}

/**
 * The changes that cuts make, in the order of the document: runs that begin before a cut or end after one are closed there,
 * and opened again with the same format.
 */
export function editsOf(xml: string, cuts: readonly Cut[]): Edit[] {
  const edits: Edit[] = [];
  for (let first = 0; first < cuts.length; ) {
    let last = first;
    while (areJoined(cuts[last], cuts[last + 1])) last += 1;
    const edit = editOf(xml, cuts.slice(first, last + 1));
    if (edit) edits.push(edit);
    first = last + 1;
  }
  return edits;
}

/** Whether the second cut begins in the text in which the first one ends, or in the next element of the run. */
function areJoined(first: Cut | undefined, second: Cut | undefined): boolean {
  if (!first || !second || first.to.run !== second.from.run) return false;
  const [end, start] = [first.to.element, second.from.element];
  return end.start === start.start || end.end === start.start;
}

/** The change of cuts that are joined. */
function editOf(xml: string, cuts: readonly Cut[]): Edit | undefined {
  const [first, last] = [cuts[0], cuts.at(-1)];
  if (!first || !last) return undefined;
  const left = leftOf(xml, first.from);
  const right = rightOf(xml, last.to);
  const middle = cuts.map((cut, index) => {
    const next = cuts[index + 1];
    return cut.replacement + (next ? between(xml, cut.to, next.from) : '');
  });
  return { start: left.start, end: right.end, text: left.text + middle.join('') + right.text };
}

/** A run that has something before the place ends there. */
function leftOf(xml: string, { run, element, before }: CutPoint): { start: number; text: string } {
  if (run.firstChild >= element.start && before === '') return { start: run.start, text: '' };
  return { start: element.start, text: `${textXml(xml, run, before)}</${tagOfRun(xml, run)}>` };
}

/** A run that has something after the place begins there again. */
function rightOf(xml: string, { run, element, after }: CutPoint): { end: number; text: string } {
  if (run.lastChild <= element.end && after === '') return { end: run.end, text: '' };
  return { end: element.end, text: openRun(xml, run) + textXml(xml, run, after) };
}

/** The part of a run between two cuts, as a run of its own. */
function between(xml: string, end: CutPoint, start: CutPoint): string {
  const { run } = end;
  const isSame = end.element.start === start.element.start;
  const content = isSame
    ? textXml(xml, run, end.after.slice(0, start.offset - end.offset))
    : textXml(xml, run, end.after) + textXml(xml, run, start.before);
  return content === '' ? '' : `${openRun(xml, run)}${content}</${tagOfRun(xml, run)}>`;
}

/** A text element of a run; nothing for an empty text. */
export function textXml(xml: string, run: Run, text: string): string {
  if (text === '') return '';
  const name = `${tagOfRun(xml, run).slice(0, -1)}t`;
  return `<${name} xml:space="preserve">${encodeText(text)}</${name}>`;
}

/** The start tag of a run, and its properties. */
function openRun(xml: string, { start, contentStart, properties }: Run): string {
  const rPr = properties ? xml.slice(properties.start, properties.end) : '';
  return xml.slice(start, contentStart) + rPr;
}

/** The name of the element of a run, as the file writes it. */
const tagOfRun = (xml: string, run: Run): string =>
  /^<([^\s/>]+)/.exec(xml.slice(run.start, run.contentStart))?.[1] ?? 'w:r';
