import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import { isJsonObject } from '../entity/json.ts';

/** Objects and lists inside each other at most. */
const MAX_LEVELS = 64;

/**
 * Reason why a value could not be returned unchanged, if any: JSON has no infinite number and no lone
 * surrogate, and `__proto__` is not handled consistently by programs.
 * @param pointer JSON pointer of the value
 * @see RFC 7493
 */
export function storableErrors(
  value: unknown,
  pointer: string,
  maxLevels = MAX_LEVELS,
): ProblemItem[] {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return [{ pointer, code: 'RANGE', detail: 'must be between -1.8e308 and 1.8e308' }];
  }
  if (typeof value === 'string' && !value.isWellFormed()) return [halfPair(pointer)];
  if (typeof value !== 'object' || value === null) return [];
  if (maxLevels === 0) {
    const detail = `must not nest more than ${MAX_LEVELS} objects and lists`;
    return [{ pointer, code: 'TOO_DEEP', detail }];
  }
  return Object.entries(value).flatMap(([name, entry]) => {
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!name.isWellFormed()) return [halfPair(pointer)];
    if (isJsonObject(value) && name === '__proto__') {
      return [{ pointer: place, code: 'INVALID_NAME', detail: 'is not allowed as a member name' }];
    }
    return storableErrors(entry, place, maxLevels - 1);
  });
}

const halfPair = (pointer: string): ProblemItem => ({
  pointer,
  code: 'INVALID_TEXT',
  detail: 'must not contain half of a surrogate pair',
});
