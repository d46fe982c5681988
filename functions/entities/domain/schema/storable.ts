import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import { isJsonObject } from '../entity/json.ts';
import { itemAt, pointerTo } from '../entity/pointer.ts';

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
    return [itemAt(pointer, 'RANGE', 'must be between -1.8e308 and 1.8e308')];
  }
  if (typeof value === 'string' && !value.isWellFormed()) return [halfPair(pointer)];
  if (typeof value !== 'object' || value === null) return [];
  if (maxLevels === 0) {
    return [itemAt(pointer, 'TOO_DEEP', `must not nest more than ${MAX_LEVELS} objects and lists`)];
  }
  return Object.entries(value).flatMap(([name, entry]) => {
    const place = pointer + pointerTo(name);
    if (!name.isWellFormed()) return [halfPair(pointer)];
    if (isJsonObject(value) && name === '__proto__') {
      return [itemAt(place, 'INVALID_NAME', 'is not allowed as a member name')];
    }
    return storableErrors(entry, place, maxLevels - 1);
  });
}

const halfPair = (pointer: string): ProblemItem =>
  itemAt(pointer, 'INVALID_TEXT', 'must not contain half of a surrogate pair');
