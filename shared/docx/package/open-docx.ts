import { docxLimits } from '../docx-limits.ts';
import { DocxRefused } from '../docx-refused.ts';
import { tokenise, type XmlLimits } from '../xml/tokenise.ts';
import { ContentTypes } from './content-types.ts';
import {
  type DocxPackage,
  findEntry,
  readingXml,
  readXml,
  relationshipsOf,
  type TextPart,
  xmlLimits,
} from './docx-package.ts';
import { requireZip } from './file-kind.ts';
import {
  isGlossaryType,
  isMainType,
  isXml,
  refuseMacros,
  refuseRelationship,
  roleOf,
} from './package-rules.ts';
import { readZip } from './read-zip.ts';
import { ownerOf } from './relationships.ts';

const CONTENT_TYPES = '[Content_Types].xml';

/**
 * Reads a DOCX file. What is returned is a sound package: its XML parts are well-formed and within the limits, and it has
 * no macros. Nothing outside of the package is read.
 * @throws DocxRefused
 */
export async function openDocx(bytes: Uint8Array, limits = docxLimits): Promise<DocxPackage> {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  requireZip(archive);
  const entries = await readZip(archive, limits);
  const budget = xmlLimits(limits);
  const contentTypes = readContentTypes(entries, budget);
  refuseMacros(entries.keys(), contentTypes);
  checkXml(entries, contentTypes, budget);
  const mainDocument = findMainDocument({ entries, limits }, contentTypes);
  checkRelationships({ entries, limits });
  const textParts = findTextParts({ entries, limits }, contentTypes, mainDocument);
  return { entries, contentTypes, mainDocument, textParts, limits };
}

type Opened = Pick<DocxPackage, 'entries' | 'limits'>;

function readContentTypes(
  entries: ReadonlyMap<string, Uint8Array>,
  budget: XmlLimits,
): ContentTypes {
  const name = findEntry(entries, CONTENT_TYPES);
  if (name === undefined)
    throw new DocxRefused('UNSUPPORTED_FILE_TYPE', 'The content is an archive, but no DOCX file.');
  return readingXml(name, () => ContentTypes.read(readXml({ entries }, name), budget));
}

/** Every XML part, those too that are never looked at here: others read them. */
function checkXml(
  entries: ReadonlyMap<string, Uint8Array>,
  types: ContentTypes,
  budget: XmlLimits,
): void {
  for (const [name, content] of entries) {
    if (content.length === 0 || !isXml(name, types.typeOf(name))) continue;
    readingXml(name, () => tokenise(readXml({ entries }, name), {}, budget));
  }
}

/** The target of the package's relationship `officeDocument`, which must have the type of a Word document. */
function findMainDocument(pkg: Opened, types: ContentTypes): string {
  const main = relationshipsOf(pkg, '').find(({ type }) => type === 'officeDocument');
  const name = main?.partName === undefined ? undefined : findEntry(pkg.entries, main.partName);
  if (name !== undefined && isMainType(types.typeOf(name))) return name;
  if (types.declared.some(isMainType))
    throw new DocxRefused('INVALID_DOCX', 'The main document of the file is missing.');
  throw new DocxRefused('UNSUPPORTED_FILE_TYPE', 'The content is no Word document.');
}

function checkRelationships(pkg: Opened): void {
  for (const name of pkg.entries.keys()) {
    const owner = ownerOf(name);
    if (owner === undefined) continue;
    for (const { type } of relationshipsOf(pkg, owner)) refuseRelationship(owner, type);
  }
}

/** Parts by their types. Those of the glossary have the same types, but are not part of the document's text. */
function findTextParts(pkg: Opened, types: ContentTypes, mainDocument: string): TextPart[] {
  const apart = new Set<string>();
  for (const name of pkg.entries.keys())
    if (isGlossaryType(types.typeOf(name)))
      for (const { partName } of relationshipsOf(pkg, name))
        apart.add(partName?.toLowerCase() ?? '');
  const parts: TextPart[] = [{ name: mainDocument, role: 'BODY' }];
  for (const name of [...pkg.entries.keys()].sort()) {
    const role = roleOf(types.typeOf(name));
    if (role && role !== 'BODY' && !apart.has(name.toLowerCase())) parts.push({ name, role });
  }
  return parts;
}
