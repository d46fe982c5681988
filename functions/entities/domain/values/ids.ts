const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Milliseconds since 1970 that a UUID of version 7 begins with; `undefined` for a text that is no UUID. */
export const timeOfId = (id: string): number | undefined =>
  isUuid(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;

const LAST_TIME = 2 ** 48 - 1;

/** What the ids of a millisecond begin with. Times out of the range of ids become its first or last one. */
export function idPrefix(ms: number): string {
  const digits = Math.min(Math.max(ms, 0), LAST_TIME).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** An id as it is stored, whatever its case; other texts stay as they are. */
export const asId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

/** Which of so many shards the rows of a record are in, from 0. */
export function shardOf(id: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
