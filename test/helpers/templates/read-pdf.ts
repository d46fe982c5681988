import { PDFiumLibrary } from '@hyzyla/pdfium';

/** A page as people see it. */
export interface ReadPage {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** A page as an image: 4 bytes for each pixel (red, green, blue, opacity). */
export interface DrawnPage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Reads a PDF by PDFium, which shares no code with the engines. */
export async function readPdf(pdf: Uint8Array): Promise<readonly ReadPage[]> {
  return withDocument(pdf, async (document) =>
    [...document.pages()].map((page) => {
      const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
      return { text: page.getText(), width, height };
    }),
  );
}

/** Draws the first pages of a PDF. */
export async function drawPdf(
  pdf: Uint8Array,
  { scale, maxPages }: { readonly scale: number; readonly maxPages: number },
): Promise<readonly DrawnPage[]> {
  return withDocument(pdf, async (document) => {
    const drawn: DrawnPage[] = [];
    for (let at = 0; at < Math.min(maxPages, document.getPageCount()); at++) {
      const { width, height, data } = await document.getPage(at).render({ scale });
      drawn.push({ width, height, data });
    }
    return drawn;
  });
}

type PdfiumDocument = Awaited<
  ReturnType<Awaited<ReturnType<typeof PDFiumLibrary.init>>['loadDocument']>
>;

async function withDocument<T>(
  pdf: Uint8Array,
  read: (document: PdfiumDocument) => Promise<T>,
): Promise<T> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(pdf);
  try {
    return await read(document);
  } finally {
    document.destroy();
    library.destroy();
  }
}
