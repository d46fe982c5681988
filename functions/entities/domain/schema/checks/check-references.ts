import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import { isJsonObject, type JsonObject, own } from '../../entity/json.ts';

/**
 * Finds references that are remote, unresolvable or circular.
 * @see https://json-schema.org/draft/2020-12/json-schema-core, section 8.2.3
 */
export function referenceErrors(root: JsonObject): ProblemItem[] {
  const walk = (value: unknown, pointer: string): ProblemItem[] => {
    if (Array.isArray(value)) {
      return value.flatMap((entry, at) => walk(entry, `${pointer}/${at}`));
    }
    if (!isJsonObject(value)) return [];
    const below = Object.entries(value).filter(([name]) => !isData(name));
    return [
      ...targetErrors(root, value, pointer),
      ...below.flatMap(([name, entry]) => walk(entry, `${pointer}/${name}`)),
    ];
  };
  return walk(root, '');
}

/** Members whose content is not a schema. */
const isData = (name: string): boolean =>
  ['default', 'enum', 'const', 'examples'].includes(name) || /^(?:x-|ui:)/.test(name);

function targetErrors(root: JsonObject, node: JsonObject, pointer: string): ProblemItem[] {
  const target = own(node, '$ref') ?? own(node, '$dynamicRef');
  if (typeof target !== 'string') return [];
  const place = `${pointer}/$ref`;
  if (!target.startsWith('#')) {
    return [
      { pointer: place, code: 'REMOTE_REFERENCE', detail: 'must refer to a place in this schema' },
    ];
  }
  if (!/^#(?:\/|$)/.test(target)) return [];
  const seen = new Set<string>();
  for (let at: unknown = target; typeof at === 'string'; ) {
    if (seen.has(at)) {
      return [{ pointer: place, code: 'CIRCULAR_REFERENCE', detail: 'must not refer to itself' }];
    }
    seen.add(at);
    const found = resolvePointer(root, at);
    if (found === undefined) {
      return [
        {
          pointer: place,
          code: 'UNKNOWN_REFERENCE',
          detail: `refers to a place that does not exist: ${at}`,
        },
      ];
    }
    at = isJsonObject(found) ? own(found, '$ref') : undefined;
  }
  return [];
}

/** What a local reference names. @see RFC 6901, section 6 */
export function resolvePointer(root: JsonObject, reference: string): unknown {
  return partsOf(reference).reduce<unknown>(
    (at, part) =>
      Array.isArray(at) ? at[Number(part)] : isJsonObject(at) ? own(at, part) : undefined,
    root,
  );
}

/** The names on the way of a local reference. */
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
