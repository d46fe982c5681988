import type { DocumentSource, DocumentWriter, WrittenDocument } from './document-writer.ts';
import { fillTemplate } from './fill-template.ts';
import type { PdfPrinter } from './pdf-printer.ts';
import type { TemplatePackages } from './template-packages.ts';

interface PdfWriterDependencies {
  readonly packages: TemplatePackages;
  readonly printer: PdfPrinter;
}

/** Writes PDFs by an engine. */
export class PdfWriter implements DocumentWriter {
  readonly #deps: PdfWriterDependencies;

  constructor(dependencies: PdfWriterDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem as `PdfPrinter.print` */
  async write(path: string, source: DocumentSource): Promise<WrittenDocument> {
    const { packages, printer } = this.#deps;
    const { pkg, warnings, lockedValues } = await fillTemplate(packages, source, 'PDF');
    const { title, settings, nowMs, pdf = {} } = source;
    const printing = { title, language: settings.locale, nowMs, ...pdf };
    const printed = await printer.print(path, pkg, printing);
    return { ...printed, lockedValues, warnings: [...warnings, ...printed.warnings] };
  }
}
