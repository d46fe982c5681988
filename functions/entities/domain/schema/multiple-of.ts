import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import { exactOf, isMultiple } from '../values/exact.ts';

const validate: SchemaValidateFunction = (of: number, value: number) => {
  const [whole, part] = [exactOf(value), exactOf(of)];
  if (whole && part && isMultiple(whole, part)) return true;
  const message = `must be multiple of ${of}`;
  validate.errors = [{ keyword: 'multipleOf', message, params: { multipleOf: of } }];
  return false;
};

/** `multipleOf` of the decimals that numbers are written as: 0.29 is one of 0.01. @see JSON Schema 2020-12 validation, 6.2.1 */
export const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: true,
  validate,
};
