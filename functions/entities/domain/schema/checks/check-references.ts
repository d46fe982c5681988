import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import { isJsonObject, type JsonObject, own } from '../../entity/json.ts';
import { itemAt, resolvePointer } from '../../entity/pointer.ts';

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
export const isData = (name: string): boolean =>
  ['default', 'enum', 'const', 'examples'].includes(name) || /^(?:x-|ui:)/.test(name);

function targetErrors(root: JsonObject, node: JsonObject, pointer: string): ProblemItem[] {
  const target = own(node, '$ref') ?? own(node, '$dynamicRef');
  if (typeof target !== 'string') return [];
  const place = `${pointer}/$ref`;
  if (!target.startsWith('#')) {
    return [itemAt(place, 'REMOTE_REFERENCE', 'must refer to a place in this schema')];
  }
  if (!/^#(?:\/|$)/.test(target)) return [];
  const seen = new Set<string>();
  for (let at: unknown = target; typeof at === 'string'; ) {
    if (seen.has(at)) {
      return [itemAt(place, 'CIRCULAR_REFERENCE', 'must not refer to itself')];
    }
    seen.add(at);
    const found = resolvePointer(root, at);
    if (found === undefined) {
      return [itemAt(place, 'UNKNOWN_REFERENCE', `refers to a place that does not exist: ${at}`)];
    }
    at = isJsonObject(found) ? own(found, '$ref') : undefined;
  }
  return [];
}
