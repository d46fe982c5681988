import { createHash } from 'node:crypto';

/** `D:20261123031549Z'` and `D:20261123031549+00'00'`. */
const PDF_DATE = /D:\d{14}/g;
/** `<xmp:CreateDate>2026-11-23T03:15:49Z</xmp:CreateDate>` */
const XMP_DATE = /(?<=<xmp:\w*Date>)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g;
/** The entry of the trailer with the two identifiers of the file. */
const FILE_ID = /\/ID\s*\[\s*<([0-9A-Fa-f]{32})>\s*<([0-9A-Fa-f]{32})>\s*\]/;
/** A checksum that LibreOffice adds; it contains the time. */
const CHECKSUM = /(?<=\/DocChecksum\s*\/)[0-9A-F]{32}/;
const UNSET = '0'.repeat(32);

/**
 * Gives a PDF the time and the identifier that follow from its content, so that equal documents make equal files. Every
 * text is replaced by one of the same length: the tables of the file, which count bytes, stay right, and so do its
 * structure and what makes it fit for archives.
 */
export function stampPdf(pdf: Uint8Array, at: Date): Buffer {
  const instant = at.toISOString();
  const pdfDate = `D:${instant.slice(0, 19).replace(/\D/g, '')}`;
  // One character for each byte.
  let text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length).toString('latin1');
  text = text
    .replace(PDF_DATE, pdfDate)
    .replace(XMP_DATE, instant.slice(0, 19))
    .replace(CHECKSUM, UNSET)
    .replace(FILE_ID, (id, first, second) => id.replace(first, UNSET).replace(second, UNSET));
  const id = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 32).toUpperCase();
  text = text.replace(FILE_ID, (whole) => whole.replaceAll(UNSET, id));
  return Buffer.from(text, 'latin1');
}
