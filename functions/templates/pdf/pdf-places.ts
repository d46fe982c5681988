import type { PDFArray as Annotations, PDFDict as Dictionary, PDFDocument } from '@cantoo/pdf-lib';
import type { PdfPlace } from '../../../shared/ports/pdf.ts';
import { MAX_PLACES } from '../domain/documents/generation.ts';

/** Links of a document that stand for places that it keeps free. */
const PLACE = 'urn:svc-cloud:place:';
/** One more than are told of says that there are more. */
const MAX_TAKEN = MAX_PLACES + 1;
/** Longest name of a field. */
const MAX_NAME = 100;
/** Chromium links each place twice. */
const MAX_LINKS = 2 * MAX_TAKEN;

/** A PDF without the links of its places. */
export interface TakenPlaces {
  readonly pdf: Uint8Array;
  /** The first ones: at most one more than documents tell of. */
  readonly places: readonly PdfPlace[];
}

/** Takes the links of places out of a PDF and says where they were. Files without places stay as they are. */
export async function takePlaces(pdf: Uint8Array): Promise<TakenPlaces> {
  if (!Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length).includes(PLACE)) {
    return { pdf, places: [] };
  }
  const library = await import('@cantoo/pdf-lib');
  const parseSpeed = library.ParseSpeeds.Fastest;
  const document = await library.PDFDocument.load(pdf, { updateMetadata: false, parseSpeed });
  const places = takeFrom(document, library);
  const saving = { useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY };
  return { pdf: await document.save(saving), places };
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
  const taken: PdfPlace[] = [];
  for (const [index, page] of document.getPages().entries()) {
    const annotations = page.node.Annots();
    const links = annotations ? takeLinks(annotations, index + 1) : [];
    if (taken.length < MAX_TAKEN) taken.push(...withoutCopies(links.slice(0, MAX_LINKS)));
  }
  return taken.slice(0, MAX_TAKEN);

  function takeLinks(annotations: Annotations, page: number): PdfPlace[] {
    const links: PdfPlace[] = [];
    for (let at = annotations.size() - 1; at >= 0; at--) {
      const annotation = annotations.lookupMaybe(at, PDFDict);
      const place = annotation && placeOf(annotation, page);
      if (!place) continue;
      links.push(place);
      const reference = annotations.get(at);
      annotations.remove(at);
      if (reference instanceof PDFRef) document.context.delete(reference);
    }
    return links.reverse();
  }

  function placeOf(annotation: Dictionary, page: number): PdfPlace | undefined {
    const action = annotation.lookupMaybe(PDFName.of('A'), PDFDict);
    const link = action?.lookupMaybe(PDFName.of('URI'), PDFString, PDFHexString)?.decodeText();
    const name = link?.startsWith(PLACE) ? decoded(link.slice(PLACE.length)) : undefined;
    if (name === undefined) return undefined;
    const { x, y, width, height } = annotation.lookup(PDFName.of('Rect'), PDFArray).asRectangle();
    return { name, page, x, y, width, height };
  }
}

/** Authors may write such links, too, with what no field is called. */
function decoded(text: string): string | undefined {
  try {
    const name = decodeURIComponent(text);
    return name.length <= MAX_NAME ? name : undefined;
  } catch {
    return undefined;
  }
}
