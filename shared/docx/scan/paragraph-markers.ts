import type { DocxLimits } from '../docx-limits.ts';
import { parseMergeField } from '../markers/instruction.ts';
import { isFieldTag, isName, keyOf, nameOf, nameOfTag } from '../markers/names.ts';
import { BARRIER, findTextMarkers, hasUnclosed, type TextMarker } from '../markers/text-markers.ts';
import { hasProperty, propertyOf, textOf } from './control-facts.ts';
import type { Control, FoundMarker, Paragraph, WordField } from './part-model.ts';
import { piecesIn, piecesOver } from './pieces.ts';
import { refuseMarkers } from './refuse-markers.ts';

/** The markers of a paragraph besides its fields, in the order of the text. @throws DocxRefused */
export function findInParagraph(
  paragraph: Paragraph,
  declared: ReadonlySet<string>,
  limits: DocxLimits,
): { markers: FoundMarker[]; unclosed: boolean; overfull: Control[] } {
  const controls: FoundMarker[] = [];
  const overfull: Control[] = [];
  for (const control of paragraph.controls) {
    const found = controlMarker(control, declared);
    if (found === 'overfull') overfull.push(control);
    else if (found) controls.push(found);
    refuseMarkers(controls.length + overfull.length, limits);
  }
  const text = blank(paragraph.text, controls);
  const found = findTextMarkers(text, declared, limits.markers + 1);
  refuseMarkers(found.length, limits);
  const markers = found.map((marker) => textMarker(marker, paragraph));
  return { markers: [...controls, ...markers], unclosed: hasUnclosed(text), overfull };
}

/** The marker that a MERGEFIELD is; undefined for another field. */
export function fieldMarker(field: WordField): FoundMarker | undefined {
  const merge = parseMergeField(field.instruction);
  if (!merge) return undefined;
  const { paragraph, control, nested, start } = field;
  const format = merge.formatOfInstruction ? field.instructionFormat : field.resultFormat;
  return {
    kind: 'MERGEFIELD',
    raw: field.instruction.trim(),
    name: merge.name,
    switches: merge.switches,
    valid: isName(merge.name),
    splitRuns: field.instructionRuns,
    nested,
    paragraph,
    control,
    start,
    place: { form: 'field', field, format: format ?? field.instructionFormat },
  };
}

/**
 * A control of a field is a marker by its tag; by its text only when that says the same. Undefined for other controls,
 * and for one in which there is more than its marker: its text is looked at as any other.
 */
function controlMarker(
  control: Control,
  declared: ReadonlySet<string>,
): FoundMarker | 'overfull' | undefined {
  const { paragraph } = control;
  const tag = propertyOf(control, 'w:tag') ?? '';
  if (!paragraph || !isFieldTag(tag)) return undefined;
  const raw = paragraph.text.slice(control.textStart, control.textEnd);
  const trimmed = raw.trim();
  const alias = nameOf(propertyOf(control, 'w:alias') ?? '');
  const inside = findTextMarkers(raw, new Set([...declared, keyOf(alias)]));
  const only = inside.length === 1 && inside[0]?.raw === trimmed ? inside[0] : undefined;
  const isShown = !hasProperty(control, 'w:showingPlcHdr');
  const name = nameOfTag(tag, [alias, only?.name ?? '', ...declared]);
  if (name === undefined) return undefined;
  if (isShown && !only && inside.length > 0) return 'overfull';
  const same = only && keyOf(only.name) === keyOf(name) ? only : undefined;
  const pieces = piecesIn(paragraph.pieces, textOf(control));
  return {
    kind: same?.kind === 'GUILLEMET' ? 'GUILLEMET' : 'MUSTACHE',
    raw: trimmed.replaceAll(BARRIER, ' '),
    name: same?.name ?? name,
    switches: same?.switches,
    valid: true,
    splitRuns: new Set(pieces.map(({ run }) => run)).size,
    nested: false,
    paragraph,
    control: control.outer,
    start: control.element.start,
    place: { form: 'control', control },
  };
}

function textMarker(marker: TextMarker, paragraph: Paragraph): FoundMarker {
  const { start, end, ...rest } = marker;
  const pieces = piecesOver(paragraph.pieces, marker);
  const [first, last] = [pieces[0], pieces.at(-1)];
  return {
    ...rest,
    splitRuns: pieces.length,
    nested: false,
    paragraph,
    control: first?.control,
    start: first?.start ?? paragraph.element.start,
    place: { form: 'text', pieces, from: start - (first?.at ?? 0), to: end - (last?.at ?? 0) },
  };
}

/** The text of a paragraph without that of controls which are markers. */
function blank(text: string, controls: readonly FoundMarker[]): string {
  const stretches = controls
    .flatMap(({ place }) => (place.form === 'control' ? [place.control] : []))
    .toSorted((a, b) => a.textStart - b.textStart);
  const kept: string[] = [];
  let at = 0;
  for (const { textStart, textEnd } of stretches) {
    if (textEnd <= at) continue;
    const from = Math.max(at, textStart);
    kept.push(text.slice(at, from), BARRIER.repeat(textEnd - from));
    at = textEnd;
  }
  return kept.join('') + text.slice(at);
}
