import { describe, expect, it } from 'vitest';
import { stampPdf } from '../../../../functions/templates/pdf/stamp-pdf.ts';

const pdf = (second: string, id: string, text = 'text') =>
  Buffer.from(
    `%PDF-1.7\n${text} \u00ff <</CreationDate(D:202611230315${second}Z')/ModDate(D:202611230315${second}+00'00')>>
<xmp:CreateDate>2026-11-23T03:15:${second}Z</xmp:CreateDate>
trailer <</ID [ <${id.repeat(32)}>\n<${id.repeat(32)}> ]\n/DocChecksum /${id.repeat(32)}>>\n%%EOF`,
    'latin1',
  );
const at = new Date('2024-02-29T20:30:05.123Z');

describe('the stamp of a PDF', () => {
  it('makes equal files of equal documents, whenever they are printed', () => {
    const [first, second] = [stampPdf(pdf('49', 'A'), at), stampPdf(pdf('58', '7'), at)];

    expect(first).toEqual(second);
    expect(first.toString('latin1')).toContain("CreationDate(D:20240229203005Z')");
    expect(first.toString('latin1')).toContain("ModDate(D:20240229203005+00'00')");
    expect(first.toString('latin1')).toContain('<xmp:CreateDate>2024-02-29T20:30:05Z<');
  });

  it('changes no length, as the tables of the file count bytes', () => {
    const before = pdf('49', 'A');

    const after = stampPdf(before, at);

    expect(after).toHaveLength(before.length);
    expect(after.indexOf('%%EOF')).toBe(before.indexOf('%%EOF'));
    expect(after.includes(0xff)).toBe(true);
  });

  it('gives other documents and other times other identifiers', () => {
    const idOf = (file: Buffer) => /\/ID \[ <(\w+)>/.exec(file.toString('latin1'))?.[1];

    const ids = [
      stampPdf(pdf('49', 'A'), at),
      stampPdf(pdf('49', 'A', 'other'), at),
      stampPdf(pdf('49', 'A'), new Date(0)),
    ].map(idOf);

    expect(new Set(ids).size).toBe(3);
  });
});
