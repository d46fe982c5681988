import type { DocxLimits } from '../docx-limits.ts';
import { isExternalField } from '../markers/instruction.ts';
import type { TextPart } from '../package/docx-package.ts';
import { xmlLimits } from '../package/docx-package.ts';
import { tokenise } from '../xml/tokenise.ts';
import { fieldMarker, findInParagraph } from './paragraph-markers.ts';
import type { Control, FoundMarker, Paragraph, PartScan } from './part-model.ts';
import { PartScanner } from './part-scanner.ts';

/**
 * Finds the markers of a part.
 * @param declared keys of declared fields: these count between guillemets too
 * @throws XmlError
 */
export function scanPart(
  part: TextPart,
  xml: string,
  declared: ReadonlySet<string>,
  limits: DocxLimits,
): PartScan {
  const read = (ignored: ReadonlySet<number>): PartScanner => {
    const scanner = new PartScanner(xml, part.role, ignored);
    tokenise(xml, scanner, xmlLimits(limits));
    scanner.stories.closeStory();
    return scanner;
  };
  const first = read(new Set());
  const unclosed = first.stories.unclosedFields;
  const scanner = unclosed.length === 0 ? first : read(new Set(unclosed.map(({ start }) => start)));
  const found = findMarkers(scanner, declared);
  return {
    part: part.name,
    xml,
    ...found,
    unclosedFields: unclosed.map(({ paragraph }) => paragraph),
    externalFields: scanner.stories.fields.filter(({ instruction }) =>
      isExternalField(instruction),
    ),
    controls: scanner.controls.all,
    anchors: scanner.runs.anchors,
  };
}

function findMarkers(
  scanner: PartScanner,
  declared: ReadonlySet<string>,
): Pick<PartScan, 'markers' | 'unclosedMarkers' | 'overfull'> {
  const markers = scanner.stories.fields.flatMap((field) => fieldMarker(field) ?? []);
  const unclosedMarkers: Paragraph[] = [];
  const overfull: Control[] = [];
  for (const paragraph of scanner.stories.paragraphs) {
    const found = findInParagraph(paragraph, declared);
    markers.push(...found.markers);
    overfull.push(...found.overfull);
    if (found.unclosed && !paragraph.inFallback) unclosedMarkers.push(paragraph);
  }
  markers.sort((a, b) => a.start - b.start);
  return { markers: withoutInner(markers), unclosedMarkers, overfull };
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
