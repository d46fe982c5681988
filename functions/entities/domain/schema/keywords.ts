import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import { exactOf, isMultiple } from '../values/exact.ts';

/* Keywords of JSON Schema that are checked here and not by the package. */

const checkMultiple: SchemaValidateFunction = (of: number, value: number) => {
  const [whole, part] = [exactOf(value), exactOf(of)];
  if (whole && part && isMultiple(whole, part)) return true;
  const message = `must be multiple of ${of}`;
  checkMultiple.errors = [{ keyword: 'multipleOf', message, params: { multipleOf: of } }];
  return false;
};

/** `multipleOf` of the decimals that numbers are written as: 0.29 is one of 0.01. @see JSON Schema 2020-12 validation, 6.2.1 */
export const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: true,
  validate: checkMultiple,
};

/** The text of a JSON value that equal values share, whatever the order of their members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`,
  );
  return `{${members.sort().join()}}`;
}

const checkUnique: SchemaValidateFunction = (isWanted: boolean, items: readonly unknown[]) => {
  const seen = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const text = isWanted ? canonical(item) : String(i);
    const j = seen.get(text);
    if (j !== undefined) {
      const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
      checkUnique.errors = [{ keyword: 'uniqueItems', message, params: { i, j } }];
      return false;
    }
    seen.set(text, i);
  }
  return true;
};

/** `uniqueItems` in time that grows with the list, not with its square. @see JSON Schema 2020-12 validation, 6.4.3 */
export const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  validate: checkUnique,
};
