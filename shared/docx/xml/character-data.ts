import { XmlError } from './xml-error.ts';

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/g;
const BARE_AMPERSAND = /&(?!(?:#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|amp|lt|gt|quot|apos);)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what XML forbids
const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Text of a document: references replaced, ends of lines as one line feed. */
export function decodeXml(raw: string): string {
  const lines = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  if (!lines.includes('&')) return lines;
  return lines.replace(REFERENCE, (_, hex?: string, decimal?: string, name?: string) =>
    name === undefined
      ? String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
      : (NAMED[name] ?? ''),
  );
}

/** Text as it stands in XML, in content and in attributes. Characters that XML 1.0 forbids are not looked for. */
export const encodeXml = (text: string): string =>
  text.replace(/[&<>"\r]/g, (character) =>
    character === '\r'
      ? '&#13;'
      : `&${character === '&' ? 'amp' : ({ '<': 'lt', '>': 'gt' }[character] ?? 'quot')};`,
  );

/** @throws XmlError unless every reference is to a character that may stand in XML 1.0 */
export function checkReferences(raw: string): void {
  if (BARE_AMPERSAND.test(raw))
    throw new XmlError('malformed', 'an ampersand begins no known reference');
  for (const [reference, hex, decimal] of raw.matchAll(REFERENCE)) {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? 32);
    if (code > 0x10_ffff || isForbidden(String.fromCodePoint(code)))
      throw new XmlError('malformed', `${reference} is no character`);
  }
}

/** @throws XmlError for characters that may not stand in XML 1.0 (section 2.2) */
export function checkCharacters(xml: string): void {
  if (isForbidden(xml)) throw new XmlError('malformed', 'a character is not allowed in XML');
}

const isForbidden = (text: string): boolean => ILLEGAL.test(text) || !text.isWellFormed();

/** As `encodeXml`, for content alone: quotes stay as they are. */
export const encodeText = (text: string): string => encodeXml(text).replaceAll('&quot;', '"');
