import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import { type JsonObject, own } from '../../entity/json.ts';
import { itemAt } from '../../entity/pointer.ts';
import { fileRulesErrors } from '../../values/file-rules.ts';
import { flattenFields } from '../flatten.ts';

/** Each file of a change takes three writes of its transaction. */
const MAX_FILE_FIELDS = 10;
const REFUSED = ['default', 'const', 'enum', 'x-encrypted', 'writeOnly', 'x-reference', 'x-unique'];

/** Finds fields with `x-file` that can have no files. */
export function fileErrors(schema: JsonObject): ProblemItem[] {
  const fields = flattenFields(schema).filter(({ node }) => Object.hasOwn(node, 'x-file'));
  return fields.flatMap(({ code, node }, at) => {
    const place = `/properties/${code}`;
    const format = own(node, 'format');
    const isFile = own(node, 'type') === 'string' && (format === 'file' || format === 'image');
    const refused = REFUSED.find((keyword) => Object.hasOwn(node, keyword));
    const errors: (ProblemItem | false)[] = [
      !isFile && itemAt(`${place}/format`, 'INVALID_VALUE', 'must be file or image, of a string'),
      refused !== undefined &&
        itemAt(`${place}/${refused}`, 'INVALID_KEYWORD', 'does not go together with x-file'),
      at >= MAX_FILE_FIELDS &&
        itemAt(`${place}/x-file`, 'TOO_MANY', `is possible for ${MAX_FILE_FIELDS} fields`),
    ];
    return [
      ...errors.filter((error) => error !== false),
      ...fileRulesErrors(node['x-file'], `${place}/x-file`),
    ];
  });
}
