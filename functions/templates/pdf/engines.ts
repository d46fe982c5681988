import type { PdfSourceFormat } from '../../../shared/ports/pdf.ts';

/** Engines that print documents, and `none`. */
export const PDF_ENGINES = ['libreoffice', 'chromium', 'none'] as const;
export type PdfEngine = (typeof PDF_ENGINES)[number];

/** What an engine can do. */
export interface EngineAbilities {
  readonly formats: readonly PdfSourceFormat[];
  readonly pdfA: boolean;
  readonly tagged: boolean;
}

export const abilitiesOf: Readonly<Record<PdfEngine, EngineAbilities>> = {
  libreoffice: { formats: ['docx'], pdfA: true, tagged: true },
  chromium: { formats: ['html'], pdfA: false, tagged: true },
  none: { formats: [], pdfA: false, tagged: false },
};

/** What an engine prints of a document: the document itself where it can. */
export const printedFormat = (engine: PdfEngine): PdfSourceFormat =>
  abilitiesOf[engine].formats[0] ?? 'docx';

/** Name of the job whose function runs an engine. */
export const engineJob = (engine: Exclude<PdfEngine, 'none'>): string => `pdf-${engine}`;
