import { fieldKey, type MergeField } from '../fields/field.ts';
import { isNumeric } from '../formats/data-type.ts';
import { toDecimal } from '../values/decimal.ts';

/** The place of a row in its list. */
export const ROW_NUMBER = '_number';

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '';

/** Names of a dotted name after those of a list. */
export function restOf(name: string, list: string): readonly string[] | undefined {
  const isBelow = fieldKey(name).startsWith(`${fieldKey(list)}.`);
  return isBelow ? name.slice(list.length + 1).split('.') : undefined;
}

/** Values of number fields count as numbers in expressions, even where JSON has text. */
export const typed = (value: unknown, field: MergeField | undefined): unknown =>
  field && isNumeric(field.dataType) ? (toDecimal(value) ?? value) : value;
