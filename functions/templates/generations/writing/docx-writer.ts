import { writeDocx } from '../../../../shared/docx/index.ts';
import type { Files } from '../../../../shared/files/files.ts';
import { DOCX_TYPE } from '../../domain/documents/template-file.ts';
import type {
  DocumentSource,
  DocumentWriter,
  WriterDependencies,
  WrittenDocument,
} from './document-writer.ts';
import { fillTemplate } from './fill-template.ts';
import { storeDocument } from './store-document.ts';
import type { TemplatePackages } from './template-packages.ts';

/** Writes Word files. */
export class DocxWriter implements DocumentWriter {
  readonly #files: Pick<Files, 'write'>;
  readonly #packages: TemplatePackages;

  constructor({ files, packages }: WriterDependencies) {
    this.#files = files;
    this.#packages = packages;
  }

  async write(path: string, source: DocumentSource): Promise<WrittenDocument> {
    const { pkg, ...filled } = await fillTemplate(this.#packages, source, 'DOCX');
    const bytes = await writeDocx(pkg);
    return { ...filled, ...(await storeDocument(this.#files, path, bytes, DOCX_TYPE)) };
  }
}
