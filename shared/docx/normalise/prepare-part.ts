import type { Control, FoundMarker, PartScan, TextPiece, WordField } from '../scan/part-model.ts';
import { isTogether, isWrapped } from '../scan/placing.ts';
import { anchorsIn } from './anchors.ts';
import { type Edit, editsOf, textXml } from './cuts.ts';
import { atMark } from './wrap-markers.ts';

/**
 * What has to change in a part before its markers can be replaced: fields that take in something from outside go, controls
 * of fields that hold more than the field too, and a marker that begins in one element and ends in another is put
 * together. After these changes the part is read again.
 */
export function preparePart(scan: PartScan): Edit[] {
  const removals = [
    ...scan.overfull.flatMap(unwrap),
    ...scan.externalFields.flatMap((field) => withoutInstruction(scan, field)),
  ];
  return removals.length > 0 ? removals : gatherAll(scan);
}

/** A marker that shares a text with one that is put together waits for the next time. */
function gatherAll(scan: PartScan): Edit[] {
  const taken = new Set<TextPiece>();
  return scan.markers.flatMap((marker) => {
    const { place } = marker;
    if (place.form !== 'text' || isTogether(marker) || !isWrapped(marker)) return [];
    if (place.pieces.some((piece) => taken.has(piece))) return [];
    for (const piece of place.pieces) taken.add(piece);
    return gather(scan, marker);
  });
}

const unwrap = ({ element, content, end }: Control): Edit[] => [
  { start: element.start, end: content.start, text: '' },
  { start: content.end, end, text: '' },
];

/** Leaves the result of a field as plain text. */
function withoutInstruction(scan: PartScan, field: WordField): Edit[] {
  const { begin, separate, endMark, content, start, end } = field;
  if (content) {
    return [
      { start, end: content.start, text: '' },
      { start: content.end, end, text: '' },
    ];
  }
  if (!begin || !endMark) return [];
  const last = separate ?? endMark;
  if (begin.run.parent !== last.run.parent)
    return [begin, separate, endMark].flatMap((one) => (one ? [{ ...one.mark, text: '' }] : []));
  const replacement = anchorsIn(scan, { start: begin.mark.start, end: last.mark.end });
  const edits = editsOf(scan.xml, [{ from: atMark(begin), to: atMark(last), replacement }]);
  return separate ? [...edits, { ...endMark.mark, text: '' }] : edits;
}

/** Puts the text of a marker into the first of the texts over which it is spread. */
function gather({ xml }: PartScan, { place, raw }: FoundMarker): Edit[] {
  if (place.form !== 'text') return [];
  return place.pieces.map((piece: TextPiece, index) => {
    const isFirst = index === 0;
    const isLast = index === place.pieces.length - 1;
    const text = isFirst
      ? piece.text.slice(0, place.from) + raw
      : isLast
        ? piece.text.slice(place.to)
        : '';
    return { start: piece.start, end: piece.end, text: textXml(xml, piece.run, text) };
  });
}
