import { sameJson } from '../basics/json.ts';
import { ExpressionError } from './expression-error.ts';

/**
 * The conversions of the Unified Expression Language (JSR-341, 1.23) between the types of JSON: null counts
 * as 0 and as false, texts that look like numbers are numbers, `null < x` is false.
 */
export function toNumber(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value === 'number') return value;
  const parsed = typeof value === 'string' ? Number(value) : Number.NaN;
  if (!Number.isFinite(parsed)) throw new ExpressionError(`${describe(value)} is no number`);
  return parsed;
}

/** null and the empty text are false; of other texts only "true", in any case, is true. */
export function toBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) return false;
  if (typeof value === 'string') return value.toLowerCase() === 'true';
  throw new ExpressionError(`${describe(value)} is neither true nor false`);
}

/** null is the empty text; lists and objects show as JSON. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Equality over mixed types: 1 equals 1.0 and "1". */
export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || left === undefined || right === null || right === undefined) {
    return (left ?? null) === (right ?? null);
  }
  if (typeof left === 'object' || typeof right === 'object') return sameJson(left, right);
  if (typeof left === 'boolean' || typeof right === 'boolean') {
    return String(left).toLowerCase() === String(right).toLowerCase();
  }
  if (typeof left === 'number' || typeof right === 'number') return Number(left) === Number(right);
  return false;
}

/** Below 0, 0, above 0, or undefined when one of the two is null and so nothing is greater or smaller. */
export function compare(left: unknown, right: unknown): number | undefined {
  if (isEqual(left, right)) return left === null || left === undefined ? undefined : 0;
  if (left === null || left === undefined || right === null || right === undefined) {
    return undefined;
  }
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : 1;
  return toNumber(left) - toNumber(right);
}

/** null, the empty text, list or object. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function describe(value: unknown): string {
  return typeof value === 'object' ? 'an object' : `"${String(value).slice(0, 40)}"`;
}
