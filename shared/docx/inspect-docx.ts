import type {
  DocxInspection,
  DocxWarning,
  InvalidMarker,
  MarkerOccurrence,
  MarkerWarningCode,
  SectionMarker,
} from './inspection.ts';
import { isName, keyOf } from './markers/names.ts';
import type { DocxPackage } from './package/docx-package.ts';
import type { FoundMarker, Paragraph, PartScan } from './scan/part-model.ts';
import { isWrapped } from './scan/placing.ts';
import { scanPackage } from './scan/scan-package.ts';

/**
 * Lists the markers of a file without changing it. The fallback copies of text boxes are not counted.
 * @param options.declared names that count between guillemets too
 * @throws DocxRefused
 */
export const inspectDocx = (
  pkg: DocxPackage,
  { declared = [] }: { declared?: readonly string[] } = {},
): DocxInspection => inspectScans(scanPackage(pkg, declared));

export function inspectScans(scans: readonly PartScan[]): DocxInspection {
  const all = scans.flatMap(({ part, markers }) =>
    markers
      .filter(({ paragraph }) => !paragraph.inFallback)
      .map((marker) => ({ marker, occurrence: occurrenceOf(part, marker) })),
  );
  const valid = all.filter(({ marker }) => marker.valid);
  const { sections, invalid } = splitInvalid(all.filter(({ marker }) => !marker.valid));
  const byKind = { MERGEFIELD: 0, MUSTACHE: 0, BRACKET: 0, GUILLEMET: 0 };
  for (const { marker } of valid) byKind[marker.kind] += 1;
  const groups = Map.groupBy(valid, ({ marker }) => keyOf(marker.name));
  const fields = [...groups.values()].map((group) => ({
    name: group[0]?.marker.name ?? '',
    kinds: [...new Set(group.map(({ marker }) => marker.kind))],
    occurrences: group.map(({ occurrence }) => occurrence),
  }));
  return {
    summary: { occurrences: valid.length, distinct: fields.length, byKind },
    fields,
    sections,
    invalid,
    warnings: scans.flatMap(warningsOf).concat(variants(valid)),
  };
}

interface Found {
  readonly marker: FoundMarker;
  readonly occurrence: MarkerOccurrence;
}

const occurrenceOf = (part: string, marker: FoundMarker): MarkerOccurrence => ({
  name: marker.name,
  part,
  location: marker.paragraph.location,
  paragraph: marker.paragraph.number,
  kind: marker.kind,
  raw: marker.raw,
  switches: marker.switches ?? null,
  splitRuns: marker.splitRuns,
  nested: marker.nested,
  wrapped: isWrapped(marker),
});

/** `{{#x}}` or `{{^x}}` and the `{{/x}}` that closes it are sections; other names that are none are invalid. */
function splitInvalid(markers: readonly Found[]): {
  sections: SectionMarker[];
  invalid: InvalidMarker[];
} {
  const paired = pairs(markers);
  const sections: SectionMarker[] = [];
  const invalid: InvalidMarker[] = [];
  for (const { marker, occurrence } of markers) {
    const { name } = marker;
    if (paired.has(marker))
      sections.push({ ...occurrence, name: sectionOf(name), open: !name.startsWith('/') });
    else invalid.push({ ...occurrence, code: 'INVALID_NAME' });
  }
  return { sections, invalid };
}

function pairs(markers: readonly Found[]): Set<FoundMarker> {
  const open: Found[] = [];
  const paired = new Set<FoundMarker>();
  for (const found of markers) {
    const { name, kind } = found.marker;
    if (kind === 'MERGEFIELD' || !/^[#^/]/.test(name) || !isName(sectionOf(name))) continue;
    if (!name.startsWith('/')) open.push(found);
    else {
      const index = open.findLastIndex((one) => closes(found, one));
      const [opening] = index < 0 ? [] : open.splice(index);
      if (opening) paired.add(opening.marker).add(found.marker);
    }
  }
  return paired;
}

const sectionOf = (name: string): string => name.slice(1).trim();

const closes = (closing: Found, opening: Found): boolean =>
  closing.occurrence.part === opening.occurrence.part &&
  keyOf(sectionOf(closing.marker.name)) === keyOf(sectionOf(opening.marker.name));

function warningsOf({ part, markers, unclosedMarkers, unclosedFields }: PartScan): DocxWarning[] {
  const at =
    (code: MarkerWarningCode) =>
    ({ number }: Paragraph): DocxWarning => ({ code, part, paragraph: number });
  const counted = markers.filter(({ paragraph, valid }) => valid && !paragraph.inFallback);
  return [
    ...unclosedMarkers.map(at('UNCLOSED_MARKER')),
    ...unclosedFields.filter(({ inFallback }) => !inFallback).map(at('UNCLOSED_FIELD')),
    ...counted
      .filter(spansParagraphs)
      .map(({ paragraph, name }) => ({ ...at('FIELD_SPANS_PARAGRAPHS')(paragraph), field: name })),
    ...counted
      .filter(isBound)
      .map(({ paragraph, name }) => ({ ...at('DATA_BOUND_CONTROL')(paragraph), field: name })),
  ];
}

function spansParagraphs({ place, paragraph }: FoundMarker): boolean {
  return place.form === 'field' && place.field.endParagraph !== paragraph;
}

function isBound({ place, control }: FoundMarker): boolean {
  let around = place.form === 'control' ? place.control : control;
  for (; around; around = around.outer)
    if (around.properties.some(({ name }) => /^w(?:15)?:dataBinding$/.test(name))) return true;
  return false;
}

/** Names that differ from the first spelling of their field by case, once each. */
function variants(valid: readonly Found[]): DocxWarning[] {
  const spellings = new Map<string, Set<string>>();
  return valid.flatMap(({ marker: { name }, occurrence: { part, paragraph } }) => {
    const known = spellings.get(keyOf(name));
    const isNew = known !== undefined && !known.has(name);
    spellings.set(keyOf(name), (known ?? new Set()).add(name));
    return isNew ? [{ code: 'FIELD_CASE_VARIANT' as const, part, paragraph, field: name }] : [];
  });
}
