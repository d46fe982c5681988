/** Turns `batch-size` into `batchSize`. */
export type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** Converts all keys of a tree to camel case; lists are not changed. */
export type CamelCaseKeys<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T & string as CamelCase<K>]: CamelCaseKeys<T[K]> }
    : T;

/** Renames the keys of a tree; lists and their members are not changed. */
export function renameKeys(node: unknown, rename: (key: string) => string): unknown {
  if (!isRecord(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [rename(key), renameKeys(value, rename)]),
  );
}

/** `batch-size` to `batchSize`. */
export const toCamelCase = (key: string): string =>
  key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `batchSize` to `batch-size`. */
export const toKebabCase = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Whether a value is a plain tree node (an object, not a list). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
