import type { DocxLimits } from '../docx-limits.ts';
import { DocxRefused } from '../docx-refused.ts';
import type { XmlLimits } from '../xml/tokenise.ts';
import { XmlError } from '../xml/xml-error.ts';
import type { ContentTypes } from './content-types.ts';
import { decodePart } from './encoding.ts';
import { type Relationship, readRelationships, relationshipsPartOf } from './relationships.ts';

export type PartRole = 'BODY' | 'HEADER' | 'FOOTER' | 'FOOTNOTES' | 'ENDNOTES';

/** A part in which Word puts text of the document. */
export interface TextPart {
  readonly name: string;
  readonly role: PartRole;
}

/** A DOCX file that was found sound. It is never changed: `withEntries` makes another one. */
export interface DocxPackage {
  readonly entries: ReadonlyMap<string, Uint8Array>;
  readonly contentTypes: ContentTypes;
  readonly mainDocument: string;
  /** The main document first, the others by name. */
  readonly textParts: readonly TextPart[];
  readonly limits: DocxLimits;
}

/** Limits for reading parts of a package that was opened: those of `openDocx` again. */
export const xmlLimits = (limits: DocxLimits): XmlLimits => ({
  depth: limits.xmlDepth,
  budget: { tokens: limits.xmlTokens },
});

/** The entry of a name, whatever its case. */
export function findEntry(
  entries: ReadonlyMap<string, Uint8Array>,
  name: string,
): string | undefined {
  if (entries.has(name)) return name;
  const lower = name.toLowerCase();
  return entries.keys().find((entry) => entry.toLowerCase() === lower);
}

/** The text of an XML part; empty for one that is not there. See `decodePart`. @throws DocxRefused */
export function readXml(pkg: Pick<DocxPackage, 'entries'>, name: string): string {
  const entry = findEntry(pkg.entries, name);
  const bytes = entry === undefined ? undefined : pkg.entries.get(entry);
  return bytes ? decodePart(name, bytes) : '';
}

/** A package with some contents replaced or added, and those of `undefined` removed. */
export function withEntries(
  pkg: DocxPackage,
  changes: ReadonlyMap<string, string | Uint8Array | undefined>,
): DocxPackage {
  const entries = new Map(pkg.entries);
  for (const [name, content] of changes) {
    if (content === undefined) entries.delete(name);
    else entries.set(name, typeof content === 'string' ? Buffer.from(content) : content);
  }
  return { ...pkg, entries, textParts: pkg.textParts.filter(({ name }) => entries.has(name)) };
}

/** The relationships of a part; those of the package for the empty name. @throws DocxRefused */
export function relationshipsOf(
  pkg: Pick<DocxPackage, 'entries' | 'limits'>,
  name: string,
): readonly Relationship[] {
  const part = findEntry(pkg.entries, relationshipsPartOf(name));
  if (part === undefined) return [];
  return readingXml(part, () => readRelationships(readXml(pkg, part), name, xmlLimits(pkg.limits)));
}

/** Reads a part; a defect of its XML is a refusal that names it. @throws DocxRefused */
export function readingXml<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const code = error.reason === 'complex' ? 'DOCX_TOO_COMPLEX' : 'INVALID_DOCX';
    throw new DocxRefused(
      code,
      `The part ${JSON.stringify(part.slice(0, 100))}: ${error.message}.`,
    );
  }
}
