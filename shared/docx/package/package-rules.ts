import { DocxRefused } from '../docx-refused.ts';
import type { ContentTypes } from './content-types.ts';
import type { PartRole } from './docx-package.ts';

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.';
const MAIN_TYPES = [`${WORD}document.main+xml`, `${WORD}template.main+xml`];
const GLOSSARY = `${WORD}document.glossary+xml`;
const MACROS = /macroenabled|vbaproject|vbadata|activex/;
const MACRO_PARTS = /(?:^|\/)vbaproject[^/]*$|(?:^|\/)activex\//i;
const XML_TYPE = /[/+]xml$/;
const XML_NAME = /\.(?:xml|rels)$/i;

const ROLES: ReadonlyMap<string, PartRole> = new Map([
  ...MAIN_TYPES.map((type): [string, PartRole] => [type, 'BODY']),
  [`${WORD}header+xml`, 'HEADER'],
  [`${WORD}footer+xml`, 'FOOTER'],
  [`${WORD}footnotes+xml`, 'FOOTNOTES'],
  [`${WORD}endnotes+xml`, 'ENDNOTES'],
]);

export const isMainType = (type: string): boolean => MAIN_TYPES.includes(type);
export const isGlossaryType = (type: string): boolean => type === GLOSSARY;
export const roleOf = (type: string): PartRole | undefined => ROLES.get(type);

/** Whether a part is XML, by its type and, where no type is declared, by its name. */
export const isXml = (name: string, type: string): boolean =>
  XML_TYPE.test(type) || XML_NAME.test(name);

/** By what the file declares and holds, whatever its name is. @throws DocxRefused */
export function refuseMacros(names: Iterable<string>, types: ContentTypes): void {
  const declared = types.declared.find((type) => MACROS.test(type));
  const part = [...names].find((name) => MACRO_PARTS.test(name) || MACROS.test(types.typeOf(name)));
  if (declared !== undefined || part !== undefined)
    throw new DocxRefused('MACROS_NOT_ALLOWED', 'The document has macros or ActiveX controls.');
}

/** Relationships by which a document would take in what is not its own text, or run it. */
export function refuseRelationship(owner: string, type: string): void {
  if (/^(?:vbaProject|wordVbaData|control|activeXControlBinary)$/i.test(type))
    throw new DocxRefused('MACROS_NOT_ALLOWED', 'The document has macros or ActiveX controls.');
  if (/^aFChunk$/i.test(type))
    throw new DocxRefused('INVALID_DOCX', `The part ${owner} takes in another file (altChunk).`);
}
