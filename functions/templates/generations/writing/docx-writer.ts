import { createHash } from 'node:crypto';
import { normaliseDocx, openDocx, writeDocx } from '../../../../shared/docx/index.ts';
import { renderDocx } from '../../../../shared/docx/render/render-docx.ts';
import type { Files } from '../../../../shared/files/files.ts';
import { DOCX_TYPE } from '../../domain/documents/template-file.ts';
import { markerValues } from '../../domain/markers/marker-values.ts';
import type { DocumentSource, DocumentWriter, WrittenDocument } from './document-writer.ts';

/** Larger than every file that is taken, normalised. */
const MAX_FILE_BYTES = 64 * 1_024 * 1_024;

/** Fills the Word file of a template. */
export class DocxWriter implements DocumentWriter {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  async write(path: string, source: DocumentSource): Promise<WrittenDocument> {
    const { bytes, ...written } = await this.fill(source, 'DOCX');
    await this.#files.write(path, bytes, DOCX_TYPE);
    return {
      ...written,
      contentType: DOCX_TYPE,
      sizeBytes: bytes.length,
      hash: createHash('sha256').update(bytes).digest('hex'),
    };
  }

  /** The filled file: the same values make the same bytes. @param output what it becomes; others than DOCX have no locks */
  async fill(
    { type, file, fields, values, settings, showsMissing }: DocumentSource,
    output: 'DOCX' | 'PDF' | 'HTML',
  ): Promise<Pick<WrittenDocument, 'warnings' | 'lockedValues'> & { readonly bytes: Uint8Array }> {
    const stored = await this.#files.read(file.path, MAX_FILE_BYTES);
    if (!stored) throw new Error(`The file ${file.path} of a template is gone`);
    const declared = fields.map(({ name }) => name);
    // Fields that were declared after the upload count between guillemets, too.
    const { pkg } = normaliseDocx(await openDocx(stored.body), { declared });
    const request = {
      ...{ output, lockType: type, unused: showsMissing ? ('NAME' as const) : ('BLANK' as const) },
      ...markerValues(values, settings),
    };
    const rendered = await renderDocx(pkg, request, declared);
    return {
      bytes: await writeDocx(rendered.pkg),
      warnings: [...values.warnings.details, ...rendered.warnings],
      lockedValues: rendered.lockedValues,
    };
  }
}
