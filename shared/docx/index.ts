export { type DocxLimits, docxLimits } from './docx-limits.ts';
export { type DocxRefusal, DocxRefused } from './docx-refused.ts';
export { type HtmlOptions, type WrittenHtml, writeHtml } from './html/write-html.ts';
export { inspectDocx } from './inspect-docx.ts';
export type {
  DocxInspection,
  DocxWarning,
  InspectedField,
  InvalidMarker,
  MarkerOccurrence,
  MarkerWarningCode,
  SectionMarker,
} from './inspection.ts';
export { isName, keyOf, nameOf, tagOf } from './markers/names.ts';
export { type MarkerKind, parseMarkerBody } from './markers/text-markers.ts';
export { type NormalisedDocx, normaliseDocx } from './normalise-docx.ts';
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
