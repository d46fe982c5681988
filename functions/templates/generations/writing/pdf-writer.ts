import type { Files } from '../../../../shared/files/files.ts';
import type { DocumentSource, DocumentWriter, WrittenDocument } from './document-writer.ts';
import { fillTemplate } from './fill-template.ts';
import { PdfPrinter, type PdfPrinterDependencies } from './pdf-printer.ts';

/** Writes PDFs by an engine. */
export class PdfWriter implements DocumentWriter {
  readonly #files: Pick<Files, 'read'>;
  readonly #printer: PdfPrinter;

  constructor(dependencies: PdfPrinterDependencies) {
    this.#files = dependencies.files;
    this.#printer = new PdfPrinter(dependencies);
  }

  /** @throws Problem as `PdfPrinter.print` */
  async write(path: string, source: DocumentSource): Promise<WrittenDocument> {
    const { pkg, warnings, lockedValues } = await fillTemplate(this.#files, source, 'PDF');
    const { title, settings, nowMs, pdf = {} } = source;
    const printing = { title, language: settings.locale, nowMs, ...pdf };
    const printed = await this.#printer.print(path, pkg, printing);
    return { ...printed, lockedValues, warnings: [...warnings, ...printed.warnings] };
  }
}
