import { DocxRefused } from '../docx-refused.ts';

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ZIP = Buffer.from('PK');
/** The stream of an OLE file that holds an encrypted package (MS-OFFCRYPTO 2.3.4.4). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Refuses what does not begin as a ZIP archive. */
export function requireZip(bytes: Buffer): void {
  if (startsWith(bytes, ZIP)) return;
  if (startsWith(bytes, OLE) && bytes.includes(ENCRYPTED))
    throw new DocxRefused('ENCRYPTED_DOCX', 'The document is protected with a password.');
  const kind = startsWith(bytes, OLE) ? 'an older binary Office file' : 'no DOCX file';
  throw new DocxRefused('UNSUPPORTED_FILE_TYPE', `The content is ${kind}.`);
}

const startsWith = (bytes: Buffer, prefix: Buffer): boolean =>
  bytes.subarray(0, prefix.length).equals(prefix);
