/** Most characters of one value. */
export const MAX_VALUE_LENGTH = 100_000;

// Not allowed in XML 1.0, escaped or not: control characters, unpaired surrogates, U+FFFE and U+FFFF.
const NOT_IN_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export interface PlainText {
  readonly text: string;
  readonly isCleaned: boolean;
  readonly isTruncated: boolean;
}

/** A text that XML 1.0 can hold, with line feeds only at the ends of lines. */
export function toPlainText(given: string): PlainText {
  const kept = given.slice(0, MAX_VALUE_LENGTH);
  const text = kept.replace(NOT_IN_XML, '');
  return {
    text: text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text,
    isCleaned: text.length < kept.length,
    isTruncated: kept.length < given.length,
  };
}
