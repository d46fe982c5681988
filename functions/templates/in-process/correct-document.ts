import { DocxRefused, normaliseDocx, openDocx, writeDocx } from '../../../shared/docx/index.ts';
import { restoreLockedValues } from '../../../shared/docx/locks/restore-locked-values.ts';
import type { LockedValue } from '../../../shared/docx/render/contract/request.ts';
import type { GenerationWarning } from '../domain/documents/generation.ts';

/** What an edited document is held to. */
interface Rules {
  /** As they were when it was generated. */
  readonly locked: readonly LockedValue[];
  /** Names of the template's fields, which count between guillemets too. */
  readonly declared: readonly string[];
}

/** A document as it is stored. */
export interface CorrectedDocument {
  readonly bytes: Uint8Array;
  readonly warnings: readonly GenerationWarning[];
}

/** What normalising says of a document besides its markers: those are for who writes templates. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['EXTERNAL_RESOURCE_REMOVED', 'Content that would be loaded from elsewhere was removed.'],
  ['SIGNATURE_REMOVED', 'The signature was of another text; it was removed.'],
]);

/**
 * Puts locked values back as far as their controls are there, and makes each merge field that was typed a control; other
 * controls keep their values. What cannot be read, and where there is nothing to change, stays as it was sent.
 */
export async function correctDocument(
  bytes: Uint8Array,
  { locked, declared }: Rules,
): Promise<CorrectedDocument> {
  try {
    const sent = await openDocx(bytes);
    const restored = restoreLockedValues(sent, locked);
    const { pkg, warnings } = normaliseDocx(restored.pkg, { declared, keepsControls: true });
    const others = warnings.flatMap(({ code, part }): GenerationWarning[] => {
      const message = MESSAGES.get(code);
      return message === undefined ? [] : [{ code, part, message }];
    });
    return {
      bytes: pkg === sent ? bytes : writeDocx(pkg),
      warnings: [...restored.warnings, ...others],
    };
  } catch (error) {
    if (!(error instanceof DocxRefused)) throw error;
    return { bytes, warnings: [{ code: 'INVALID_MARKER', message: error.detail }] };
  }
}
