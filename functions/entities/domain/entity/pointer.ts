import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import { isJsonObject, type JsonObject, own } from './json.ts';

/** What is wrong at a place of a document. */
export const itemAt = (pointer: string, code: string, detail: string): ProblemItem => ({
  pointer,
  code,
  detail,
});

/** The place of a member of an object. @see RFC 6901, section 3 */
export const pointerTo = (name: string): string =>
  `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** What a local reference names. @see RFC 6901, section 6 */
export function resolvePointer(root: JsonObject, reference: string): unknown {
  return partsOf(reference).reduce<unknown>(
    (at, part) =>
      Array.isArray(at) ? at[Number(part)] : isJsonObject(at) ? own(at, part) : undefined,
    root,
  );
}

/** The names on the way of a local reference, such as `#/$defs/address`. */
export const partsOf = (reference: string): string[] =>
  reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'));

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
