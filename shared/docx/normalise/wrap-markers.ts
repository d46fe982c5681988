import { textOf } from '../scan/control-facts.ts';
import type { FoundMarker, PartScan, Run, Span } from '../scan/part-model.ts';
import { piecesIn } from '../scan/pieces.ts';
import { isWrapped } from '../scan/placing.ts';
import { anchorsIn } from './anchors.ts';
import { controlXml, isCanonical, type Writing } from './control-xml.ts';
import { type Cut, type CutPoint, type Edit, editsOf } from './cuts.ts';
import { markedControl } from './marked-control.ts';

/** The changes by which every marker of a part that can be becomes a control of the canonical form. */
export function wrapMarkers(scan: PartScan, writing: Writing): Edit[] {
  const edits: Edit[] = [];
  const cuts: Cut[] = [];
  for (const marker of scan.markers.filter(isWrapped)) {
    const control = markedControl(marker);
    if (control) {
      const isMarker = marker.place.form === 'control';
      if (isMarker && isCanonical(marker, control, writing.ids)) continue;
      const format = formatOf(marker);
      const text = controlXml(writing, marker, format, control);
      edits.push({ start: control.element.start, end: control.end, text });
    } else addMarker(scan, marker, writing, { edits, cuts });
  }
  return [...edits, ...editsOf(scan.xml, cuts)];
}

function addMarker(
  scan: PartScan,
  marker: FoundMarker,
  writing: Writing,
  { edits, cuts }: { edits: Edit[]; cuts: Cut[] },
): void {
  const { place } = marker;
  const text = controlXml(writing, marker, formatOf(marker));
  const points = pointsOf(marker);
  if (points) {
    const [from, to] = points;
    const between = { start: from.element.start, end: to.element.end };
    cuts.push({ from, to, replacement: anchorsIn(scan, between) + text });
  } else if (place.form === 'field') {
    const { start, end } = place.field;
    edits.push({ start, end, text: anchorsIn(scan, { start, end }) + text });
  }
}

/** The properties of the run that gives a marker its format. */
function formatOf(marker: FoundMarker): Span | undefined {
  const { place, paragraph } = marker;
  if (place.form === 'field') return place.format?.properties;
  if (place.form === 'text') return place.pieces[0]?.run.properties;
  const [inside] = piecesIn(paragraph.pieces, textOf(place.control));
  const own = place.control.properties.find(({ name }) => name === 'w:rPr');
  return inside ? inside.run.properties : own;
}

/** Between which places a marker stands; undefined for a simple field, which is an element. */
function pointsOf({ place }: FoundMarker): readonly [CutPoint, CutPoint] | undefined {
  if (place.form === 'field') {
    const { begin, endMark } = place.field;
    return begin && endMark && [atMark(begin), atMark(endMark)];
  }
  const [first, last] = place.form === 'text' ? [place.pieces[0], place.pieces.at(-1)] : [];
  if (place.form !== 'text' || !first || !last) return undefined;
  return [inText(first, place.from), inText(last, place.to)];
}

export const atMark = ({ run, mark }: { run: Run; mark: Span }): CutPoint => ({
  run,
  element: mark,
  before: '',
  after: '',
  offset: 0,
});

const inText = (piece: Span & { run: Run; text: string }, offset: number): CutPoint => ({
  run: piece.run,
  element: piece,
  before: piece.text.slice(0, offset),
  after: piece.text.slice(offset),
  offset,
});
