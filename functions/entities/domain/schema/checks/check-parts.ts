import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import { isJsonObject, type JsonObject, own } from '../../entity/json.ts';
import { flattenFields } from '../flatten.ts';

/** Parts of a value are stored with it: nothing would encrypt, count or delete them. */
const OF_WHOLE_FIELDS = ['x-encrypted', 'x-file', 'x-number'];
const INNER = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'];
const INNER_BY_NAME = ['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** Finds keywords in parts of fields that would promise there what nothing keeps. */
export const partErrors = (schema: JsonObject): ProblemItem[] =>
  flattenFields(schema).flatMap(({ code, node }) => innerErrors(node, `/properties/${code}`));

function innerErrors(node: JsonObject, pointer: string): ProblemItem[] {
  return partsOf(node).flatMap(([name, part]) => {
    const place = `${pointer}/${name}`;
    const errors = OF_WHOLE_FIELDS.filter((keyword) => Object.hasOwn(part, keyword)).map(
      (keyword) => ({
        pointer: `${place}/${keyword}`,
        code: 'INVALID_KEYWORD',
        detail: 'is possible for whole fields only',
      }),
    );
    return [...errors, ...innerErrors(part, place)];
  });
}

/** Schemas inside of a schema, and where. */
const partsOf = (node: JsonObject): [string, JsonObject][] =>
  [...INNER, ...INNER_BY_NAME].flatMap((keyword) => {
    const given = own(node, keyword);
    if (typeof given !== 'object' || given === null) return [];
    const isOne = isJsonObject(given) && INNER.includes(keyword);
    const parts: [string, unknown][] = isOne
      ? [[keyword, given]]
      : Object.entries(given).map(([name, part]) => [`${keyword}/${name}`, part]);
    return parts.filter((part): part is [string, JsonObject] => isJsonObject(part[1]));
  });
