import { isJsonObject, own } from '../entity/json.ts';

/** Whether a value names one of the codes: as a member, as a text or within an expression. */
export function mentions(value: unknown, codes: ReadonlySet<string>): boolean {
  if (codes.size === 0) return false;
  if (typeof value === 'string') {
    const parts = [...value.split(/[^\p{L}\p{N}_-]+/u), ...value.split(/[^\p{L}\p{N}_]+/u)];
    return parts.some((part) => codes.has(part));
  }
  if (Array.isArray(value)) return value.some((part) => mentions(part, codes));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, part]) => codes.has(name) || mentions(part, codes));
}

/** Whether a value has an expression, `{{...}}`, that names one of the codes. */
export function computesFrom(value: unknown, codes: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return value.includes('{{') && mentions(value, codes);
  if (Array.isArray(value)) return value.some((part) => computesFrom(part, codes));
  return isJsonObject(value) && Object.values(value).some((part) => computesFrom(part, codes));
}

/** A value without its parts that name one of the codes; `undefined` when nothing is left of it. */
export function withoutMentions(value: unknown, codes: ReadonlySet<string>): unknown {
  if (!mentions(value, codes)) return value;
  const isLeft = (part: unknown): boolean => !mentions(part, codes);
  if (Array.isArray(value)) {
    const kept = value.filter(isLeft);
    return kept.length > 0 ? kept : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const kept = Object.entries(value).filter(([name, part]) => !codes.has(name) && isLeft(part));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** Texts for people: whatever they say, they are shown, unless they are computed from a field. */
const TEXTS: ReadonlySet<string> = new Set(
  'title description label text ui:title ui:description ui:help ui:placeholder'.split(' '),
);
export const isText = (name: string, value: unknown): boolean =>
  TEXTS.has(name) && typeof value === 'string';

/** Every reference within a value. */
export function referencesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(referencesOf);
  if (!isJsonObject(value)) return [];
  const targets = [own(value, '$ref'), own(value, '$dynamicRef')];
  return [
    ...targets.filter((target) => target !== undefined),
    ...Object.values(value).flatMap(referencesOf),
  ];
}
