import { DocxRefused } from '../docx-refused.ts';

const BOM_16LE = Buffer.from([0xff, 0xfe]);
const BOM_16BE = Buffer.from([0xfe, 0xff]);
/** `<` in the two orders of bytes, of a part without byte order mark. */
const LESS_16LE = Buffer.from([0x3c, 0]);
const LESS_16BE = Buffer.from([0, 0x3c]);
const DECLARED = /^(\ufeff?<\?xml[^>]*?\bencoding\s*=\s*)(["'])([\w.-]+)\2/;

const decoders = {
  'utf-8': new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }),
  'utf-16le': new TextDecoder('utf-16le', { fatal: true }),
  'utf-16be': new TextDecoder('utf-16be', { fatal: true }),
};

/** How the bytes of an XML part are to be read (XML 1.0 appendix F; OPC allows UTF-8 and UTF-16). */
export function encodingOf(bytes: Uint8Array): keyof typeof decoders {
  const first = Buffer.from(bytes.subarray(0, 2));
  if (first.equals(BOM_16LE) || first.equals(LESS_16LE)) return 'utf-16le';
  if (first.equals(BOM_16BE) || first.equals(LESS_16BE)) return 'utf-16be';
  return 'utf-8';
}

/**
 * The text of an XML part. That of UTF-8 keeps its byte order mark, so that it encodes to the same bytes; that of UTF-16
 * declares UTF-8.
 * @throws DocxRefused
 */
export function decodePart(name: string, bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  const text = decode(name, bytes, encoding);
  const declared = DECLARED.exec(text)?.[3]?.toLowerCase();
  if (encoding !== 'utf-8') return text.replace(DECLARED, '$1$2UTF-8$2');
  if (declared === undefined || declared === 'utf-8' || declared === 'us-ascii') return text;
  throw new DocxRefused(
    'INVALID_DOCX',
    `The part ${name} declares an encoding that it does not have.`,
  );
}

function decode(name: string, bytes: Uint8Array, encoding: keyof typeof decoders): string {
  try {
    return decoders[encoding].decode(bytes);
  } catch {
    throw new DocxRefused(
      'INVALID_DOCX',
      `The part ${name} is not valid ${encoding.toUpperCase()}.`,
    );
  }
}
