import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import { type JsonObject, own } from '../../entity/json.ts';
import { itemAt } from '../../entity/pointer.ts';
import { formatError } from '../../values/number-format.ts';
import { flattenFields } from '../flatten.ts';

const MAX_NUMBERED = 3;
/** The platform assigns a number after the values of a record are checked, so nothing may restrict it. */
const RESTRICTING = [
  'default',
  'const',
  'enum',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  '$ref',
  'writeOnly',
  'x-encrypted',
  'x-reference',
];

/** Finds fields with `x-number` whose numbers could not be assigned, or would not be their own. */
export function numberFormatErrors(schema: JsonObject): ProblemItem[] {
  const numbered = flattenFields(schema).filter(({ node }) => Object.hasOwn(node, 'x-number'));
  const formats = numbered.map(({ node }) => String(node['x-number']).replace(/\{0+\}/, '{0}'));
  return numbered.flatMap(({ code, node, required }, at) => {
    const place = `/properties/${code}`;
    const problem = formatError(node['x-number']);
    const restricting = RESTRICTING.find((keyword) => Object.hasOwn(node, keyword));
    const errors: (ProblemItem | false)[] = [
      problem !== undefined && itemAt(`${place}/x-number`, 'INVALID_VALUE', problem),
      own(node, 'type') !== 'string' && itemAt(`${place}/type`, 'INVALID_TYPE', 'must be string'),
      restricting !== undefined &&
        itemAt(`${place}/${restricting}`, 'INVALID_KEYWORD', 'restricts a number that is assigned'),
      required && itemAt('/required', 'INVALID_KEYWORD', `names ${code}, whose number is assigned`),
      formats.indexOf(formats[at] ?? '') !== at &&
        itemAt(`${place}/x-number`, 'DUPLICATE', 'is the format of another field as well'),
      at >= MAX_NUMBERED &&
        itemAt(`${place}/x-number`, 'TOO_MANY', `is possible for ${MAX_NUMBERED} fields`),
    ];
    return errors.filter((error) => error !== false);
  });
}
