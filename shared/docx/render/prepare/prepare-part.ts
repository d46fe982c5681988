import type { FoundMarker, PartScan } from '../../scan/part-model.ts';
import { Splices } from '../../xml/splices.ts';
import type { RenderWarning } from '../contract/request.ts';
import { prepareInstructions } from './instructions.ts';
import { fillControl, PieceEdits, piecesOf, unwrapControl } from './part-edits.ts';
import type { Preparation } from './preparation.ts';
import { findSections, type SectionEdits } from './sections.ts';

export interface PreparedPart {
  readonly name: string;
  /** The XML with tags in the places of its markers. */
  readonly xml: string;
  /** Prefix of the elements of Word, with its colon. */
  readonly prefix: string;
  readonly needsUpdate: boolean;
}

/** Puts tags in the places of the markers of a part; `undefined` for a part without any. */
export function preparePart(scan: PartScan, preparation: Preparation): PreparedPart | undefined {
  const { xml, markers, part } = scan;
  const first = markers[0];
  if (first === undefined) return undefined;
  const { tags, request, isFlat } = preparation;
  const isList = (name: string): boolean => !isFlat && request.listOf(name, []) !== undefined;
  const sections = findSections(markers, tags, isList);
  for (const marker of sections.unpaired) preparation.warnings.push(unpaired(marker, part));
  const splices = new Splices();
  const pieces = new PieceEdits();
  for (const marker of markers) {
    const section = sections.replaced.get(marker);
    if (section !== undefined) replaceText(marker, isFlat ? '' : section, pieces);
    else if (marker.valid && !marker.nested)
      fill(marker, scan, sections, { splices, pieces }, preparation);
  }
  const needsUpdate = prepareInstructions(scan, splices, preparation);
  pieces.apply(splices);
  return {
    name: part,
    xml: splices.apply(xml),
    prefix: first.paragraph.element.prefix,
    needsUpdate,
  };
}

const unpaired = ({ raw }: FoundMarker, part: string): RenderWarning => ({
  code: 'INVALID_MARKER',
  part,
  message: `${raw.slice(0, 120)} has no counterpart.`,
});

interface Edits {
  readonly splices: Splices;
  readonly pieces: PieceEdits;
}

function fill(
  marker: FoundMarker,
  { part, xml }: PartScan,
  sections: SectionEdits,
  { splices, pieces }: Edits,
  { tags, request, warnings }: Preparation,
): void {
  const { place, name, switches, raw } = marker;
  if (place.form === 'field') return;
  const hasControl = place.form === 'control' && request.lockType !== 'TYPE_3';
  const isQuoted = marker.kind === 'GUILLEMET';
  const isCopy = marker.paragraph.inFallback;
  const tag = tags.field({
    kind: 'field',
    name,
    switches,
    raw,
    isQuoted,
    hasControl,
    isCopy,
    part,
  });
  const text = `${sections.before.get(marker) ?? ''}${tag}${sections.after.get(marker) ?? ''}`;
  if (place.form === 'text') {
    pieces.replace(place.pieces, place.from, place.to, text);
    return;
  }
  const { control } = place;
  if (control.properties.some((property) => /^w(?:15)?:dataBinding$/.test(property.name))) {
    const message = 'The control took its text from data of the file, and no longer does.';
    warnings.push({ code: 'DATA_BOUND_CONTROL', field: name, part, message });
  }
  const inside = piecesOf(marker, control);
  const last = inside.at(-1);
  if (last) pieces.replace(inside, 0, last.text.length, text);
  else splices.insert(control.content.start, runXml(text, control.element.prefix));
  const isText = request.isText?.(name, switches) ?? true;
  if (hasControl) fillControl(control, xml, isText, splices);
  else unwrapControl(control, splices);
}

const runXml = (text: string, prefix: string): string =>
  `<${prefix}r><${prefix}t xml:space="preserve">${text}</${prefix}t></${prefix}r>`;

function replaceText({ place }: FoundMarker, text: string, pieces: PieceEdits): void {
  if (place.form === 'text') pieces.replace(place.pieces, place.from, place.to, text);
}
