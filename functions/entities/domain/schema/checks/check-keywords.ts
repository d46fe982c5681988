import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import type { FieldDefinition } from '../../entity/field.ts';
import { isJsonObject, type JsonObject, own } from '../../entity/json.ts';
import { itemAt } from '../../entity/pointer.ts';
import { codecOf } from '../../values/codecs.ts';
import { flattenFields } from '../flatten.ts';
import { storableErrors } from '../storable.ts';
import type { RecordValidator } from '../validator.ts';
import { fileErrors } from './check-files.ts';
import { numberFormatErrors } from './check-numbers.ts';
import { partErrors } from './check-parts.ts';

/** Most levels of a schema, the same as for documents. */
const MAX_NESTING = 64;

/** Checks this module's keywords: names of unknown fields, unknown options. */
export function keywordErrors(
  schema: JsonObject,
  fields: readonly FieldDefinition[],
): ProblemItem[] {
  return [
    ...storableErrors(schema, '', MAX_NESTING + 1),
    ...numberErrors(schema, ''),
    ...requiredErrors(schema, fields),
    ...namingErrors(schema, fields),
    ...numberFormatErrors(schema),
    ...fileErrors(schema),
    ...partErrors(schema),
    ...flattenFields(schema).flatMap(({ code, node }) => fieldErrors(code, node, fields)),
  ];
}

/** Finds defaults that are invalid for their own fields: no record could omit such a field. */
export function defaultErrors(
  fields: readonly FieldDefinition[],
  validate: RecordValidator,
): ProblemItem[] {
  const given = fields.filter((field) => field.default !== undefined);
  const codes = new Set(given.map(({ code }) => code));
  const unstorable = given.flatMap((field) => storableErrors(field.default, defaultOf(field.code)));
  const refused = validate(
    Object.fromEntries(given.map((field) => [field.code, structuredClone(field.default)])),
  ).flatMap(({ pointer = '', code, detail }) => {
    const [, field = ''] = pointer.split('/');
    return codes.has(field) && code !== 'REQUIRED'
      ? [{ pointer: defaultOf(field), code, detail }]
      : [];
  });
  return [...unstorable, ...refused];
}

const defaultOf = (code: string): string => `/properties/${code}/default`;

/** DynamoDB stores numbers of a definition only in this range. */
function numberErrors(value: unknown, pointer: string): ProblemItem[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, entry]) =>
      numberErrors(entry, `${pointer}/${name}`),
    );
  }
  const size = typeof value === 'number' ? Math.abs(value) : 0;
  if (size === 0 || (size >= 1e-130 && size < 1e126)) return [];
  return [itemAt(pointer, 'RANGE', 'must be 0 or have an absolute value between 1e-130 and 1e126')];
}

function requiredErrors(schema: JsonObject, fields: readonly FieldDefinition[]): ProblemItem[] {
  const required = own(schema, 'required');
  if (required === undefined || typeof required === 'boolean') return [];
  if (!Array.isArray(required)) return [itemAt('/required', 'INVALID_TYPE', 'must be a list')];
  if (own(schema, 'additionalProperties') === true) return [];
  return required.flatMap((name: unknown, at) =>
    fields.some(({ code }) => code === name)
      ? []
      : [itemAt(`/required/${at}`, 'UNKNOWN_FIELD', `${String(name)} is not a field`)],
  );
}

function namingErrors(schema: JsonObject, fields: readonly FieldDefinition[]): ProblemItem[] {
  return ['x-label', 'x-tree-order'].flatMap((keyword) => {
    const name = own(schema, keyword);
    if (name === undefined) return [];
    const field = fields.find(({ code }) => code === name);
    const isReadable = field && !field.encrypted && !field.writeOnly;
    if (isReadable) return [];
    return [itemAt(`/${keyword}`, 'UNKNOWN_FIELD', 'must name a readable field')];
  });
}

function fieldErrors(
  code: string,
  node: JsonObject,
  fields: readonly FieldDefinition[],
): ProblemItem[] {
  const pointer = `/properties/${code}`;
  const field = fields.find((each) => each.code === code);
  const isUnique = own(node, 'x-unique') === true;
  const uniqueErrors =
    isUnique && !(field?.unique && field.sortable)
      ? [
          itemAt(
            `${pointer}/x-unique`,
            'NOT_SEARCHABLE',
            'requires a searchable field with a single value',
          ),
        ]
      : [];
  return [
    ...uniqueErrors,
    ...accentErrors(pointer, own(node, 'x-unique-accents'), field),
    ...referenceErrors(pointer, own(node, 'x-reference')),
    ...secretReferenceErrors(pointer, field),
  ];
}

function accentErrors(
  pointer: string,
  given: unknown,
  field: FieldDefinition | undefined,
): ProblemItem[] {
  if (given === undefined) return [];
  const place = `${pointer}/x-unique-accents`;
  if (typeof given !== 'boolean') return [itemAt(place, 'INVALID_TYPE', 'must be true or false')];
  const isText = field !== undefined && !codecOf(field).isExact && field.searchable;
  return isText ? [] : [itemAt(place, 'NOT_SEARCHABLE', 'requires a searchable text field')];
}

function referenceErrors(pointer: string, reference: unknown): ProblemItem[] {
  if (reference === undefined) return [];
  const place = `${pointer}/x-reference`;
  if (!isJsonObject(reference)) {
    return [itemAt(place, 'INVALID_TYPE', 'must be an object that names an entity')];
  }
  const onDelete = own(reference, 'onDelete');
  return [
    ...(typeof own(reference, 'entity') === 'string'
      ? []
      : [itemAt(`${place}/entity`, 'REQUIRED', 'must name an entity')]),
    ...(['restrict', 'setNull', 'none', undefined].includes(onDelete as string | undefined)
      ? []
      : [itemAt(`${place}/onDelete`, 'INVALID_VALUE', 'must be restrict, setNull or none')]),
  ];
}

/** Finds references with `onDelete` by fields that cannot be searched: nothing would find the records that refer to a deleted one. */
function secretReferenceErrors(pointer: string, field: FieldDefinition | undefined): ProblemItem[] {
  const isFound = !field?.reference || field.searchable || field.reference.onDelete === 'none';
  if (isFound) return [];
  const place = `${pointer}/x-reference/onDelete`;
  return [
    itemAt(place, 'NOT_SEARCHABLE', 'must be none where the field is encrypted or writeOnly'),
  ];
}
