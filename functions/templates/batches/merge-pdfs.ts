import type { PDFRef } from '@cantoo/pdf-lib';

/** Most objects of one file: pages, what is on them, links. Each takes up to 4 KB of the memory of the function, 1 GB. */
const MAX_OBJECTS = 150_000;

/** The documents have more objects together than fit the memory. */
export class TooManyObjectsError extends Error {
  override readonly name = 'TooManyObjectsError';
}

/**
 * Joins PDFs to one with all their pages; each is read when its turn comes. What it does for a page, or an object, does
 * not depend on how many there are before.
 * @param at the time of the file
 * @throws TooManyObjectsError
 */
export async function mergePdfs(pdfs: AsyncIterable<Uint8Array>, at: Date): Promise<Uint8Array> {
  const { ParseSpeeds, PDFDocument, PDFName } = await import('@cantoo/pdf-lib');
  const whole = await PDFDocument.create();
  const pages = whole.catalog.Pages();
  const pagesRef = whole.catalog.get(PDFName.of('Pages')) as PDFRef;
  const reading = { updateMetadata: false, parseSpeed: ParseSpeeds.Fastest };
  for await (const bytes of pdfs) {
    const part = await PDFDocument.load(bytes, reading);
    const objects =
      whole.context.largestObjectNumber + part.context.enumerateIndirectObjects().length;
    if (objects > MAX_OBJECTS) throw new TooManyObjectsError(`More than ${MAX_OBJECTS} objects`);
    for (const page of await whole.copyPages(part, part.getPageIndices())) {
      // `addPage` looks at all pages before.
      page.node.setParent(pagesRef);
      pages.pushLeafNode(page.ref);
    }
  }
  whole.setCreationDate(at);
  whole.setModificationDate(at);
  // Streams of objects are listed in an order that is found anew for each.
  return whole.save({ useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY });
}
