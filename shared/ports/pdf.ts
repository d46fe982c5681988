/** A document to print. */
export interface PdfRequest {
  readonly source: PdfSource;
  /** Key that the PDF is written to. */
  readonly target: string;
  /** The time that the PDF says it was made at: equal documents give equal files. */
  readonly at: Date;
  /** For archives (ISO 19005-2): fonts embedded, nothing from outside. */
  readonly pdfA?: boolean;
  /** With the structure of the text, for readers that speak it. */
  readonly tagged?: boolean;
  /** Longest time for all of it, waiting for a free engine included (ms). */
  readonly limitMs: number;
}

/** A document: its bytes, or its key in the bucket of the stack. */
export type PdfSource = { readonly format: PdfSourceFormat } & (
  | { readonly bytes: Uint8Array }
  | { readonly path: string }
);

/** Options of a print. */
export interface PdfWish extends Pick<PdfRequest, 'pdfA' | 'tagged'> {
  readonly format: PdfSourceFormat;
}

export type PdfSourceFormat = 'docx' | 'html';

/** Result of a print. */
export interface PrintedPdf {
  readonly pages: number;
  readonly sizeBytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** The first places that the document keeps free, such as for signatures; a file with thousands of them has more. */
  readonly places: readonly PdfPlace[];
}

/** A rectangle of a page in points (1/72 inch), from its lower left corner. */
export interface PdfPlace {
  readonly name: string;
  /** From 1. */
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Prints documents. */
export interface PdfConverter {
  /** @throws Problem `PDF_NOT_AVAILABLE`, `PDF_OPTION_NOT_SUPPORTED` (422), before a document is written for it */
  check(wanted: PdfWish): void;
  /** @throws Problem naming what is not supported, too long or not to be had in time */
  convert(request: PdfRequest): Promise<PrintedPdf>;
}
