import type { MergeField } from '../../../functions/templates/domain/fields/field.ts';
import { markerValues } from '../../../functions/templates/domain/markers/marker-values.ts';
import { ResolvedValues } from '../../../functions/templates/domain/sources/resolve-values.ts';
import { openDocx } from '../../../shared/docx/index.ts';
import { writeDocx } from '../../../shared/docx/package/write-docx.ts';
import type { RenderRequest, RenderResult } from '../../../shared/docx/render/contract/request.ts';
import { renderDocx } from '../../../shared/docx/render/render-docx.ts';
import { type DocxParts, makeDocx } from './make-docx.ts';

let number = 0;

/** A control of a field, as the normalised form of a template has it. */
export function control(name: string, text = `{{${name}}}`, format = ''): string {
  number += 1;
  const run = `<w:r>${format && `<w:rPr>${format}</w:rPr>`}<w:t>${text}</w:t></w:r>`;
  return `<w:sdt><w:sdtPr><w:alias w:val="${name}"/><w:tag w:val="svc:mf:${name}"/><w:id w:val="${number}"/><w:text w:multiLine="1"/></w:sdtPr><w:sdtContent>${run}</w:sdtContent></w:sdt>`;
}

export const p = (...content: readonly string[]): string => `<w:p>${content.join('')}</w:p>`;
export const run = (text: string, format = ''): string =>
  `<w:r>${format && `<w:rPr>${format}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
export const cell = (...content: readonly string[]): string => `<w:tc>${content.join('')}</w:tc>`;
export const row = (...cells: readonly string[]): string => `<w:tr>${cells.join('')}</w:tr>`;
export const table = (...rows: readonly string[]): string =>
  `<w:tbl><w:tblPr/><w:tblGrid/>${rows.join('')}</w:tbl>`;

export interface RenderOptions
  extends Partial<Omit<RenderRequest, 'valueOf' | 'isText' | 'listOf' | 'isTrue'>> {
  readonly fields?: readonly MergeField[];
  readonly images?: Readonly<Record<string, Uint8Array>>;
}

export interface Rendered extends RenderResult {
  readonly file: Buffer;
  /** Sorted codes of the values and of the rendering. */
  readonly codes: readonly string[];
}

export const aField = (name: string, more: Partial<MergeField> = {}): MergeField => ({
  name,
  sourceType: 'ENTITY',
  dataType: 'STRING',
  ...more,
});

export const SETTINGS = { locale: 'vi-VN', zone: 'Asia/Ho_Chi_Minh' };

/** Values of fields that a request brings. */
export const valuesOf = (entityData: unknown, fields: readonly MergeField[] = []): ResolvedValues =>
  new ResolvedValues({
    fields,
    entityData,
    system: { user: {}, tenant: {}, app: {}, settings: new Map() },
    allowedSettings: [],
    builtins: {
      nowMs: Date.parse('2024-02-29T20:30:00Z'),
      uuid: 'u',
      user: {},
      document: { templateCode: 'HDLD' },
      company: {},
    },
    settings: SETTINGS,
  });

/** Fills a file that is normalised already. */
export async function renderFile(
  bytes: Uint8Array,
  data: unknown,
  { fields = [], images = {}, ...request }: RenderOptions = {},
): Promise<Rendered> {
  const values = valuesOf(data, fields);
  const result = await renderDocx(
    await openDocx(bytes),
    {
      output: 'DOCX',
      lockType: 'TYPE_1',
      ...markerValues(values, SETTINGS, (value) => {
        const image = images[String(value)];
        return image && (async () => image);
      }),
      ...request,
    },
    fields.map(({ name }) => name),
  );
  const codes = new Set([...values.warnings.codes, ...result.warnings.map(({ code }) => code)]);
  return { ...result, file: writeDocx(result.pkg), codes: [...codes].sort() };
}

export const renderBody = (
  body: string,
  data: unknown,
  options: RenderOptions = {},
): Promise<Rendered> => renderFile(makeDocx({ body }), data, options);

export const renderParts = (
  parts: DocxParts,
  data: unknown,
  options: RenderOptions = {},
): Promise<Rendered> => renderFile(makeDocx(parts), data, options);
