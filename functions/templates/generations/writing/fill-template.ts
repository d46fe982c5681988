import type { DocxPackage } from '../../../../shared/docx/index.ts';
import { renderDocx } from '../../../../shared/docx/render/render-docx.ts';
import type { OutputFormat } from '../../domain/documents/generation.ts';
import { markerValues } from '../../domain/markers/marker-values.ts';
import type { DocumentSource, WrittenDocument } from './document-writer.ts';
import type { TemplatePackages } from './template-packages.ts';
import { tooComplex } from './too-complex.ts';

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
  packages: Pick<TemplatePackages, 'read'>,
  { type, file, fields, values, settings, imageOf, showsMissing }: DocumentSource,
  output: OutputFormat,
): Promise<FilledTemplate> {
  const declared = fields.map(({ name }) => name);
  const pkg = await packages.read(file.path, declared);
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
