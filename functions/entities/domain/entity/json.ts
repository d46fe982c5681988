/** A JSON object of any members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object (no list, not null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nesting depth of objects and lists; stops counting above `limit`. */
export function nesting(root: unknown, limit: number): number {
  let level: unknown[] = [root];
  for (let depth = 0; ; depth += 1) {
    const inner = level.filter((value) => typeof value === 'object' && value !== null);
    if (inner.length === 0 || depth > limit) return depth;
    level = inner.flatMap((value) => Object.values(value as object));
  }
}

/** An own member of an object, never an inherited one. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
