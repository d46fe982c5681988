import {
  type DocxInspection,
  DocxRefused,
  type MarkerOccurrence,
  normaliseDocx,
  openDocx,
  writeDocx,
} from '../../../shared/docx/index.ts';
import type { FileWarning, FoundField } from '../domain/documents/template-file.ts';
import { fieldKey } from '../domain/fields/field.ts';
import { problems } from '../errors.ts';

/** A file as it is stored, and what was found in the one that was sent. */
export interface NormalisedFile {
  readonly bytes: Uint8Array;
  readonly inspection: DocxInspection;
  readonly found: readonly FoundField[];
  readonly sections: readonly string[] | undefined;
  readonly warnings: readonly FileWarning[];
}

/** Most warnings that are kept of a file. */
const MAX_WARNINGS = 100;
/** Characters of a marker that are shown. */
const MAX_SHOWN = 200;

/**
 * Makes each marker of a file a control and removes what it loads from elsewhere.
 * @param declared names of declared fields, which count between guillemets too
 * @throws Problem `UNSUPPORTED_FILE_TYPE` (415), `INVALID_DOCX`, `ENCRYPTED_DOCX`, `MACROS_NOT_ALLOWED`, `DOCX_TOO_COMPLEX` (422)
 */
export async function normaliseFile(
  bytes: Uint8Array,
  declared: readonly string[],
): Promise<NormalisedFile> {
  try {
    const { pkg, inspection, warnings } = normaliseDocx(await openDocx(bytes), {
      declared,
    });
    return {
      bytes: writeDocx(pkg),
      inspection: shortened(inspection),
      found: inspection.fields.map(({ name, occurrences }) => ({
        name,
        occurrences: occurrences.length,
      })),
      sections: sectionsIn(inspection),
      warnings: warnings.slice(0, MAX_WARNINGS),
    };
  } catch (error) {
    throw error instanceof DocxRefused ? refusal(error) : error;
  }
}

/** With the beginnings of long markers: an inspection is read whole. */
function shortened(inspection: DocxInspection): DocxInspection {
  const brief = <T extends MarkerOccurrence>(one: T): T => ({
    ...one,
    raw: shorten(one.raw),
    switches: one.switches === null ? null : shorten(one.switches),
  });
  return {
    ...inspection,
    fields: inspection.fields.map(({ occurrences, ...field }) => ({
      ...field,
      occurrences: occurrences.map(brief),
    })),
    sections: inspection.sections.map(brief),
    invalid: inspection.invalid.map(brief),
  };
}

const shorten = (text: string): string =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;

/** Each name once; none is not stored. */
function sectionsIn({ sections }: DocxInspection): readonly string[] | undefined {
  const names = new Map(sections.map(({ name }) => [fieldKey(name), name]));
  return names.size > 0 ? [...names.values()] : undefined;
}

function refusal({ code, detail }: DocxRefused): Error {
  const facts = { detail };
  switch (code) {
    case 'UNSUPPORTED_FILE_TYPE':
      return problems.unsupportedFileType(facts);
    case 'INVALID_DOCX':
      return problems.invalidDocx(facts);
    case 'ENCRYPTED_DOCX':
      return problems.encryptedDocx(facts);
    case 'MACROS_NOT_ALLOWED':
      return problems.macrosNotAllowed(facts);
    case 'DOCX_TOO_COMPLEX':
      return problems.docxTooComplex(facts);
  }
}
