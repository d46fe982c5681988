import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import { isJsonObject, type JsonObject, own } from '../../entity/json.ts';
import { fileRulesErrors } from '../../values/file-rules.ts';
import { flattenFields } from '../flatten.ts';

/** Each file of a change takes three writes of its transaction. */
const MAX_FILE_FIELDS = 10;
const REFUSED = ['default', 'const', 'enum', 'x-encrypted', 'writeOnly', 'x-reference', 'x-unique'];

const INNER = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'];
const INNER_BY_NAME = ['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** Finds fields with `x-file` that can have no files. */
export function fileErrors(schema: JsonObject): ProblemItem[] {
  const all = flattenFields(schema);
  const fields = all.filter(({ node }) => Object.hasOwn(node, 'x-file'));
  const inner = all.flatMap(({ code, node }) => innerErrors(node, `/properties/${code}`));
  const outer = fields.flatMap(({ code, node }, at) => {
    const place = `/properties/${code}`;
    const format = own(node, 'format');
    const isFile = own(node, 'type') === 'string' && (format === 'file' || format === 'image');
    const refused = REFUSED.find((keyword) => Object.hasOwn(node, keyword));
    const errors: (ProblemItem | false)[] = [
      !isFile && item(`${place}/format`, 'INVALID_VALUE', 'must be file or image, of a string'),
      refused !== undefined &&
        item(`${place}/${refused}`, 'INVALID_KEYWORD', 'does not go together with x-file'),
      at >= MAX_FILE_FIELDS &&
        item(`${place}/x-file`, 'TOO_MANY', `is possible for ${MAX_FILE_FIELDS} fields`),
    ];
    return [
      ...errors.filter((error) => error !== false),
      ...fileRulesErrors(node['x-file'], `${place}/x-file`),
    ];
  });
  return [...outer, ...inner];
}

/** A part of a value names no file: nothing would check or delete it. */
function innerErrors(node: JsonObject, pointer: string): ProblemItem[] {
  return partsOf(node).flatMap(([name, part]) => {
    const place = `${pointer}/${name}`;
    const isFile = Object.hasOwn(part, 'x-file');
    const detail = 'is possible for whole fields only';
    return [
      ...(isFile ? [item(`${place}/x-file`, 'INVALID_KEYWORD', detail)] : []),
      ...innerErrors(part, place),
    ];
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

const item = (pointer: string, code: string, detail: string): ProblemItem => ({
  pointer,
  code,
  detail,
});
