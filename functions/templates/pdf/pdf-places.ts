import type { PDFDict as Dictionary, PDFDocument } from '@cantoo/pdf-lib';
import type { PdfPlace } from '../../../shared/ports/pdf.ts';

/** Links of a document that stand for places that it keeps free. */
const PLACE = 'urn:svc-cloud:place:';

/** A PDF without the links of its places. */
export interface TakenPlaces {
  readonly pdf: Uint8Array;
  readonly places: readonly PdfPlace[];
}

/** Takes the links of places out of a PDF and says where they were. Files without places stay as they are. */
export async function takePlaces(pdf: Uint8Array): Promise<TakenPlaces> {
  if (!Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length).includes(PLACE)) {
    return { pdf, places: [] };
  }
  const library = await import('@cantoo/pdf-lib');
  const document = await library.PDFDocument.load(pdf, { updateMetadata: false });
  const places = takeFrom(document, library);
  return { pdf: await document.save({ useObjectStreams: false }), places };
}

/** Chromium links the box of a link and what is in it: the smaller one is the place. */
const withoutCopies = (places: readonly PdfPlace[]): PdfPlace[] =>
  places.filter(
    (each, at) =>
      !places.some((other, otherAt) => {
        const difference = areaOf(other) - areaOf(each);
        const isBetter = difference < 0 || (difference === 0 && otherAt < at);
        return isBetter && other.name === each.name && overlap(each, other);
      }),
  );

const areaOf = ({ width, height }: PdfPlace): number => width * height;

const overlap = (a: PdfPlace, b: PdfPlace): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

type PdfLibrary = typeof import('@cantoo/pdf-lib');

function takeFrom(document: PDFDocument, library: PdfLibrary): PdfPlace[] {
  const { PDFArray, PDFDict, PDFHexString, PDFName, PDFRef, PDFString } = library;
  return document.getPages().flatMap((page, index) => {
    const annotations = page.node.Annots();
    if (!annotations) return [];
    const places: PdfPlace[] = [];
    for (let at = annotations.size() - 1; at >= 0; at--) {
      const annotation = annotations.lookupMaybe(at, PDFDict);
      const place = annotation && placeOf(annotation, index + 1);
      if (!place) continue;
      places.unshift(place);
      const reference = annotations.get(at);
      annotations.remove(at);
      if (reference instanceof PDFRef) document.context.delete(reference);
    }
    return withoutCopies(places);
  });

  function placeOf(annotation: Dictionary, page: number): PdfPlace | undefined {
    const action = annotation.lookupMaybe(PDFName.of('A'), PDFDict);
    const link = action?.lookupMaybe(PDFName.of('URI'), PDFString, PDFHexString)?.decodeText();
    if (!link?.startsWith(PLACE)) return undefined;
    const { x, y, width, height } = annotation.lookup(PDFName.of('Rect'), PDFArray).asRectangle();
    return { name: decodeURIComponent(link.slice(PLACE.length)), page, x, y, width, height };
  }
}
