import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import type { JsonObject } from '../../entity/json.ts';
import { flattenFields } from '../flatten.ts';
import { innerSchemas } from '../inner-schemas.ts';

/** Parts of a value are stored with it: nothing would encrypt, count or delete them. */
const OF_WHOLE_FIELDS = ['x-encrypted', 'x-file', 'x-number'];

/** Finds keywords of whole fields in parts of fields, where they would have no effect. */
export const partErrors = (schema: JsonObject): ProblemItem[] =>
  flattenFields(schema).flatMap(({ code, node }) => innerErrors(node, `/properties/${code}`));

function innerErrors(node: JsonObject, pointer: string): ProblemItem[] {
  return innerSchemas(node).flatMap(([name, part]) => {
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
