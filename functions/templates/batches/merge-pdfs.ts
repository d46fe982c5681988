/** Joins PDFs to one with all their pages; each is read when its turn comes. @param at the time of the file */
export async function mergePdfs(pdfs: AsyncIterable<Uint8Array>, at: Date): Promise<Uint8Array> {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  const whole = await PDFDocument.create();
  for await (const bytes of pdfs) {
    const part = await PDFDocument.load(bytes, { updateMetadata: false });
    for (const page of await whole.copyPages(part, part.getPageIndices())) whole.addPage(page);
  }
  whole.setCreationDate(at);
  whole.setModificationDate(at);
  return whole.save();
}
