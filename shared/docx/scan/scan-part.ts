import type { DocxLimits } from '../docx-limits.ts';
import { isExternalField } from '../markers/instruction.ts';
import type { TextPart } from '../package/docx-package.ts';
import { xmlLimits } from '../package/docx-package.ts';
import { tokenise } from '../xml/tokenise.ts';
import { withInlineControls } from './block-controls.ts';
import { fieldMarker, findInParagraph } from './paragraph-markers.ts';
import type { Control, FoundMarker, Paragraph, PartScan } from './part-model.ts';
import { PartScanner } from './part-scanner.ts';
import { refuseMarkers } from './refuse-markers.ts';

const MAX_ROUNDS = 3;

/**
 * Finds the markers of a part.
 * @param declared keys of declared fields: these count between guillemets too
 * @throws XmlError, DocxRefused
 */
export function scanPart(
  part: TextPart,
  xml: string,
  declared: ReadonlySet<string>,
  limits: DocxLimits,
): PartScan {
  let scan = scanOnce(part, xml, declared, limits);
  // A control may stand around a cell in which another one stands around the paragraph.
  for (let rounds = 0; scan.inline !== scan.xml && rounds < MAX_ROUNDS; rounds += 1)
    scan = scanOnce(part, scan.inline, declared, limits);
  return { ...scan, isMoved: scan.xml !== xml };
}

/** As it is, and with its controls of fields within their paragraphs. */
type Scanned = Omit<PartScan, 'isMoved'> & { readonly inline: string };

function scanOnce(
  part: TextPart,
  xml: string,
  declared: ReadonlySet<string>,
  limits: DocxLimits,
): Scanned {
  const first = read(part, xml, declared, limits, new Set());
  const unclosed = first.scanner.stories.unclosedFields;
  const ignored = new Set(unclosed.map(({ start }) => start));
  const { scanner, found } =
    unclosed.length === 0 ? first : read(part, xml, declared, limits, ignored);
  const { fields } = scanner.stories;
  addTo(
    found.markers,
    fields.flatMap((field) => fieldMarker(field) ?? []),
    limits,
  );
  found.markers.sort((a, b) => a.start - b.start);
  found.unclosedMarkers.sort((a, b) => a.element.start - b.element.start);
  return {
    part: part.name,
    xml,
    markers: withoutInner(found.markers),
    unclosedMarkers: found.unclosedMarkers,
    overfull: found.overfull,
    unclosedFields: unclosed.map(({ paragraph }) => paragraph),
    externalFields: fields.filter(({ instruction }) => isExternalField(instruction)),
    controls: scanner.controls.all,
    inline: withInlineControls(xml, scanner.controls.all, scanner.blocks, declared),
    anchors: scanner.runs.anchors,
  };
}

interface Found {
  readonly markers: FoundMarker[];
  readonly unclosedMarkers: Paragraph[];
  readonly overfull: Control[];
}

/** Reads a part once; paragraphs are looked through as they end, and only those with a find are kept. */
function read(
  part: TextPart,
  xml: string,
  declared: ReadonlySet<string>,
  limits: DocxLimits,
  ignored: ReadonlySet<number>,
): { scanner: PartScanner; found: Found } {
  const found: Found = { markers: [], unclosedMarkers: [], overfull: [] };
  const scanner = new PartScanner(xml, part.role, { ignored, limits }, (paragraph) => {
    const { markers, unclosed, overfull } = findInParagraph(paragraph, declared, limits);
    addTo(found.markers, markers, limits);
    for (const control of overfull) found.overfull.push(control);
    if (unclosed && !paragraph.inFallback) found.unclosedMarkers.push(paragraph);
  });
  tokenise(xml, scanner, xmlLimits(limits));
  scanner.stories.closeStory();
  return { scanner, found };
}

/** @throws DocxRefused above the limit: what is left need not be read */
function addTo(all: FoundMarker[], markers: readonly FoundMarker[], limits: DocxLimits): void {
  for (const marker of markers) all.push(marker);
  refuseMarkers(all.length, limits);
}

/** Without what stands in the control or in the result of another marker. */
function withoutInner(markers: readonly FoundMarker[]): FoundMarker[] {
  let end = 0;
  return markers.filter((marker) => {
    if (marker.start < end && marker.place.form !== 'text') return false;
    end = Math.max(end, endOf(marker));
    return true;
  });
}

function endOf({ place }: FoundMarker): number {
  if (place.form === 'control') return place.control.end;
  return place.form === 'field' ? place.field.end : 0;
}
