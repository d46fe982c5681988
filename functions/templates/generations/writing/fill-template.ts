import {
  type DocxPackage,
  DocxRefused,
  normaliseDocx,
  openDocx,
} from '../../../../shared/docx/index.ts';
import { renderDocx } from '../../../../shared/docx/render/render-docx.ts';
import type { Files } from '../../../../shared/files/files.ts';
import type { OutputFormat } from '../../domain/documents/generation.ts';
import { markerValues } from '../../domain/markers/marker-values.ts';
import { problems } from '../../errors.ts';
import type { DocumentSource, WrittenDocument } from './document-writer.ts';

/** Larger than every file that is taken, normalised. */
const MAX_FILE_BYTES = 64 * 1_024 * 1_024;

/** The Word file of a template with values. */
export interface FilledTemplate extends Pick<WrittenDocument, 'warnings' | 'lockedValues'> {
  readonly pkg: DocxPackage;
}

/**
 * Fills the file of a template: the same values make the same package.
 * @param output what it becomes
 * @throws Problem `DOCX_TOO_COMPLEX` (422): the values repeat its lists too often
 */
export async function fillTemplate(
  files: Pick<Files, 'read'>,
  { type, file, fields, values, settings, imageOf, showsMissing }: DocumentSource,
  output: OutputFormat,
): Promise<FilledTemplate> {
  const stored = await files.read(file.path, MAX_FILE_BYTES);
  if (!stored) throw new Error(`The file ${file.path} of a template is gone`);
  const declared = fields.map(({ name }) => name);
  // Fields that were declared after the upload count between guillemets, too.
  const { pkg } = normaliseDocx(await openDocx(stored.body), { declared });
  const request = {
    ...{ output, lockType: type, unused: showsMissing ? ('NAME' as const) : ('BLANK' as const) },
    ...markerValues(values, settings, imageOf),
  };
  const rendered = await renderDocx(pkg, request, declared).catch(tooComplex);
  return {
    pkg: rendered.pkg,
    warnings: [...values.warnings.details, ...rendered.warnings],
    lockedValues: output === 'DOCX' ? rendered.lockedValues : [],
  };
}

function tooComplex(cause: unknown): never {
  const isTooMuch = cause instanceof DocxRefused && cause.code === 'DOCX_TOO_COMPLEX';
  throw isTooMuch ? problems.docxTooComplex({ detail: cause.detail }) : cause;
}
