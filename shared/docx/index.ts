export { type DocxLimits, docxLimits } from './docx-limits.ts';
export { type DocxRefusal, DocxRefused } from './docx-refused.ts';
export {
  type DocxPackage,
  type PartRole,
  readXml,
  relationshipsOf,
  type TextPart,
  withEntries,
} from './package/docx-package.ts';
export { openDocx } from './package/open-docx.ts';
export { writeDocx } from './package/write-docx.ts';
export { decodeXml, encodeXml } from './xml/character-data.ts';
export { Splices } from './xml/splices.ts';
export type { XmlTag } from './xml/tag.ts';
export { tokenise, type XmlLimits, type XmlVisitor } from './xml/tokenise.ts';
export { XmlError } from './xml/xml-error.ts';
