import { encodeXml } from '../../xml/character-data.ts';

/** Ends a text element and begins the next one, within the same run. */
export const between = (content: string, prefix = 'w:'): string =>
  `</${prefix}t>${content}<${prefix}t xml:space="preserve">`;

/** A text as the content of a text element: ends of lines and tabs get elements of their own. */
export function textXml(text: string, prefix = 'w:'): string {
  const encoded = encodeXml(text);
  if (!/[\n\t]/.test(encoded)) return encoded;
  return encoded.replaceAll(/[\n\t]/g, (character) =>
    between(`<${prefix}${character === '\n' ? 'br' : 'tab'}/>`, prefix),
  );
}

/** A field of Word within a run, with the result that is shown until Word computes it. */
export function fieldXml(instruction: string, result: string, prefix = 'w:'): string {
  const character = (type: string): string => `<${prefix}fldChar ${prefix}fldCharType="${type}"/>`;
  const text = `<${prefix}instrText xml:space="preserve"> ${encodeXml(instruction)} </${prefix}instrText>`;
  const shown = `<${prefix}t>${encodeXml(result)}</${prefix}t>`;
  return between(
    `${character('begin')}${text}${character('separate')}${shown}${character('end')}`,
    prefix,
  );
}
