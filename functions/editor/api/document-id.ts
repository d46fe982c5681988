import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { documentId } from './editor-schemas.ts';

/** An id of a document as it stands in a path: percent-encoded. */
export const encodedDocumentId = lazy(() => z.string().min(1).max(768));

/** An id as it stands in a path. @throws Problem `INVALID_PARAMETER` (400) */
export function decodedDocumentId(given: string): string {
  const id = documentId().safeParse(unescaped(given));
  if (id.success) return id.data;
  throw httpProblems.invalidParameter([
    { parameter: 'documentId', code: 'INVALID_FORMAT', detail: 'is no id of a document' },
  ]);
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
