import type { ExpectedFile } from '../../ports/documents.ts';
import { FileChangedError } from '../files.ts';

/** Errors of S3 when a condition does not hold or a concurrent write came first. */
const CHANGED = new Set(['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey']);

/** The condition of a write, as headers of S3. */
export function conditionOf(expected: ExpectedFile | undefined) {
  if (expected === undefined) return {};
  return expected === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: expected.etag };
}

/** The error of a write; another one when it says that its condition does not hold. */
export function changedAt(
  path: string,
  expected: ExpectedFile | undefined,
  error: unknown,
): unknown {
  const isChanged = expected !== undefined && error instanceof Error && CHANGED.has(error.name);
  return isChanged ? new FileChangedError(path) : error;
}
