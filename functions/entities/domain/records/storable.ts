import type { ProblemItem } from '../../../../shared/http/problem.ts';
import { isJsonObject } from '../schema/json.ts';

/** Objects and lists inside each other at most: the table takes 32, some of which are around the value. */
const MAX_LEVELS = 24;
/** Sizes of numbers that the table keeps. */
const SMALLEST = 1e-130;
const LARGEST = 1e126;

/**
 * What keeps a JSON value from coming back as it was sent, if anything does.
 * @param pointer where the value lies
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
 */
export function storableErrors(
  value: unknown,
  pointer: string,
  maxLevels = MAX_LEVELS,
): ProblemItem[] {
  if (typeof value === 'number') return isStorableNumber(value) ? [] : [outOfRange(pointer)];
  if (typeof value === 'string') return value.isWellFormed() ? [] : [halfPair(pointer)];
  if (typeof value !== 'object' || value === null) return [];
  if (maxLevels === 0) {
    const detail = 'lies too deep; nest fewer objects and lists';
    return [{ pointer, code: 'TOO_DEEP', detail }];
  }
  return Object.entries(value).flatMap(([name, entry]) => {
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (isJsonObject(value) && !isStorableName(name)) return [badName(place)];
    return storableErrors(entry, place, maxLevels - 1);
  });
}

function isStorableNumber(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= SMALLEST && size < LARGEST);
}

const isStorableName = (name: string): boolean =>
  name !== '' && name !== '__proto__' && name.isWellFormed();

const outOfRange = (pointer: string): ProblemItem => ({
  pointer,
  code: 'RANGE',
  detail: 'must be 0 or lie between 1e-130 and 1e126; use a string for other numbers',
});

const halfPair = (pointer: string): ProblemItem => ({
  pointer,
  code: 'INVALID_TEXT',
  detail: 'must not hold half of a surrogate pair',
});

const badName = (pointer: string): ProblemItem => ({
  pointer,
  code: 'INVALID_NAME',
  detail: 'is no name a member may have',
});
