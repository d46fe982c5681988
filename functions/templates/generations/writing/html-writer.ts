import { type WrittenHtml, writeHtml } from '../../../../shared/docx/html/write-html.ts';
import type { Files } from '../../../../shared/files/files.ts';
import type { GenerationWarning } from '../../domain/documents/generation.ts';
import type {
  DocumentSource,
  DocumentWriter,
  WriterDependencies,
  WrittenDocument,
} from './document-writer.ts';
import { fillTemplate } from './fill-template.ts';
import { storeDocument } from './store-document.ts';
import type { TemplatePackages } from './template-packages.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** What a page leaves out of a document, as a warning. */
export const leftOut = (code: WrittenHtml['warnings'][number]): GenerationWarning => ({
  code,
  message: 'The page leaves out drawings and objects that HTML does not have.',
});

/** Writes pages that hold all that they show and run no script. */
export class HtmlWriter implements DocumentWriter {
  readonly #files: Pick<Files, 'write'>;
  readonly #packages: TemplatePackages;

  constructor({ files, packages }: WriterDependencies) {
    this.#files = files;
    this.#packages = packages;
  }

  async write(path: string, source: DocumentSource): Promise<WrittenDocument> {
    const { pkg, lockedValues, warnings } = await fillTemplate(this.#packages, source, 'HTML');
    const page = writeHtml(pkg, { title: source.title, language: source.settings.locale });
    const bytes = Buffer.from(page.html);
    return {
      lockedValues,
      warnings: [...warnings, ...page.warnings.map(leftOut)],
      ...(await storeDocument(this.#files, path, bytes, HTML_TYPE)),
    };
  }
}
