import { isJsonObject, type JsonObject, own } from '../entity/json.ts';

const ONE = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'];
const BY_NAME = ['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** Schemas right inside of a schema, and where. */
export const innerSchemas = (node: JsonObject): [string, JsonObject][] =>
  [...ONE, ...BY_NAME].flatMap((keyword) => {
    const given = own(node, keyword);
    if (typeof given !== 'object' || given === null) return [];
    const isOne = isJsonObject(given) && ONE.includes(keyword);
    const parts: [string, unknown][] = isOne
      ? [[keyword, given]]
      : Object.entries(given).map(([name, part]) => [`${keyword}/${name}`, part]);
    return parts.filter((part): part is [string, JsonObject] => isJsonObject(part[1]));
  });
