import { DocxRefused, normaliseDocx, openDocx, writeDocx } from '../../../shared/docx/index.ts';

/** A document as it is stored. */
export interface NormalisedSave {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
}

/**
 * Makes each marker of a Word document a control. The controls of fields stay as they are: a document shows values in them.
 * What cannot be read, and where there is nothing to change, stays as it was sent.
 */
export async function normaliseSave(bytes: Uint8Array, extension: string): Promise<NormalisedSave> {
  if (extension !== 'docx') return { bytes, warnings: [] };
  try {
    const sent = await openDocx(bytes);
    const { pkg, warnings } = normaliseDocx(sent, { keepsControls: true });
    return {
      bytes: pkg === sent ? bytes : writeDocx(pkg),
      warnings: [...new Set(warnings.map(({ code }) => code))].sort(),
    };
  } catch (error) {
    if (!(error instanceof DocxRefused)) throw error;
    return { bytes, warnings: [error.code] };
  }
}

/** Whether what was fetched is a page of some server in between, or nothing: never a document. */
export function isNoDocument(bytes: Uint8Array, extension: string): boolean {
  if (bytes.length === 0) return true;
  if (/^(?:html?|mht|mhtml|xml|txt|md)$/.test(extension)) return false;
  const start = Buffer.from(bytes.subarray(0, 512)).toString('latin1').trimStart().toLowerCase();
  return start.startsWith('<!doctype html') || start.startsWith('<html');
}
