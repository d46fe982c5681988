import { RE2JS } from 're2js';
import type { ProblemItem } from '../../../../../shared/problems/problem.ts';
import { problems } from '../../../errors.ts';
import { fieldCodeFault, isStampField } from '../../entity/entity.ts';
import type { FieldDefinition } from '../../entity/field.ts';
import { isJsonObject, type JsonObject, own } from '../../entity/json.ts';
import { itemAt } from '../../entity/pointer.ts';
import { flattenFields, toDataSchema } from '../flatten.ts';
import type { FormDocument } from '../read-document.ts';
import { compileValidator, metaSchemaErrors, type RecordValidator } from '../validator.ts';
import { defaultErrors, keywordErrors } from './check-keywords.ts';
import { isData, referenceErrors } from './check-references.ts';

const MAX_FIELDS = 500;
const MAX_INDEXED = 100;
const MAX_DEPTH = 8;
const MAX_PATTERN_LENGTH = 200;
/** Each unique value is claimed and released by the transaction of a change. */
const MAX_UNIQUES = 20;
const MAX_COMBINED_FIELDS = 5;
/** Counters are attributes of one item, which holds 400 KB. */
const MAX_COUNTER_BYTES = 300_000;
const NUMBER_BYTES = 8;

/**
 * Checks the restrictions of form schemas: reserved codes, remote references, patterns that no linear-time engine
 * runs, too many fields or levels, combinations of fields that do not exist.
 * @throws Problem `INVALID_SCHEMA` (400), naming every mistake
 */
export function checkSchema(document: FormDocument, fields: readonly FieldDefinition[]): void {
  const { schema, dialect } = document;
  refuse([
    ...fieldErrors(schema, fields),
    ...nodeErrors(schema),
    ...referenceErrors(schema),
    ...combinationErrors(schema, fields),
    ...keywordErrors(schema, fields),
  ]);
  const dataSchema = toDataSchema(schema);
  refuse(metaSchemaErrors(dataSchema, dialect));
  refuse(defaultErrors(fields, compiled(dataSchema, dialect)));
}

function refuse(errors: readonly ProblemItem[]): void {
  if (errors.length > 0) throw problems.invalidSchema(errors.slice(0, 50));
}

function compiled(schema: JsonObject, dialect: FormDocument['dialect']): RecordValidator {
  try {
    return compileValidator(schema, dialect);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.slice(0, 500) : 'cannot be compiled';
    throw problems.invalidSchema([{ pointer: '', code: 'INVALID_KEYWORD', detail }]);
  }
}

function fieldErrors(schema: JsonObject, fields: readonly FieldDefinition[]): ProblemItem[] {
  const errors: ProblemItem[] = [];
  errors.push(...numberErrors(schema, fields));
  const seen = new Set<string>();
  for (const { code, node } of flattenFields(schema)) {
    const pointer = `/properties/${code}`;
    const fault = fieldCodeFault(code);
    if (fault !== undefined) errors.push(itemAt(pointer, 'RESERVED', fault));
    const declared = own(own(schema, 'properties') as JsonObject, code);
    if (declared !== undefined && declared !== true && !isJsonObject(declared)) {
      errors.push(itemAt(pointer, 'INVALID_TYPE', 'must be an object'));
    }
    if (seen.has(code)) errors.push(itemAt(pointer, 'DUPLICATE', 'is declared twice'));
    if (Object.keys(node).length === 0) continue;
    seen.add(code);
  }
  return errors;
}

function numberErrors(schema: JsonObject, fields: readonly FieldDefinition[]): ProblemItem[] {
  const combined = own(schema, 'x-unique');
  const uniques =
    fields.filter(({ unique }) => unique).length + (Array.isArray(combined) ? combined.length : 0);
  const searchable = fields.filter((field) => field.searchable).length;
  const rules: readonly (readonly [boolean, string, string])[] = [
    [fields.length === 0, 'TOO_SMALL', 'must declare at least one field'],
    [fields.length > MAX_FIELDS, 'TOO_BIG', `must declare at most ${MAX_FIELDS} fields`],
    [
      searchable > MAX_INDEXED,
      'TOO_MANY_INDEXES',
      `must have at most ${MAX_INDEXED} searchable fields; set x-searchable to false on others`,
    ],
    [
      counterBytes(fields) > MAX_COUNTER_BYTES,
      'TOO_BIG',
      'have too many values to count; set x-facet to false on some of the enums',
    ],
    [
      uniques > MAX_UNIQUES,
      'TOO_BIG',
      `must have at most ${MAX_UNIQUES} unique fields and combinations`,
    ],
  ];
  return rules.flatMap(([isBroken, code, detail]) =>
    isBroken ? [itemAt('/properties', code, detail)] : [],
  );
}

/** Bytes of the counters by value when every value is in use. */
const counterBytes = (fields: readonly FieldDefinition[]): number =>
  fields
    .filter(({ facet }) => facet)
    .flatMap(({ code, enum: values = [true, false] }) =>
      values.map((value) => Buffer.byteLength(`${code}=${String(value)}`) + NUMBER_BYTES),
    )
    .reduce((sum, bytes) => sum + bytes, 0);

/** Walks over every node below properties, items and the like. */
function nodeErrors(value: unknown, pointer = '', depth = 0): ProblemItem[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => nodeErrors(entry, `${pointer}/${index}`, depth));
  }
  if (!isJsonObject(value)) return [];
  if (depth > MAX_DEPTH) {
    return [itemAt(pointer, 'TOO_DEEP', `must have at most ${MAX_DEPTH} levels`)];
  }
  const below = Object.entries(value).filter(([name]) => !isData(name));
  return [
    ...patternErrors(value, pointer),
    ...below.flatMap(([name, entry]) => {
      const isLevel = name === 'properties' || name === 'items';
      return nodeErrors(entry, `${pointer}/${name}`, isLevel ? depth + 1 : depth);
    }),
  ];
}

function patternErrors(node: JsonObject, pointer: string): ProblemItem[] {
  const pattern = own(node, 'pattern');
  const byName = own(node, 'patternProperties');
  const patterns = [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isJsonObject(byName) ? Object.keys(byName) : []),
  ];
  return patterns.flatMap((text) => {
    if (text.length > MAX_PATTERN_LENGTH) {
      const detail = `must have at most ${MAX_PATTERN_LENGTH} characters`;
      return [itemAt(`${pointer}/pattern`, 'TOO_LONG', detail)];
    }
    try {
      RE2JS.compile(text);
      return [];
    } catch {
      const detail = 'must be a regular expression without lookaround and backreferences';
      return [itemAt(`${pointer}/pattern`, 'INVALID_PATTERN', detail)];
    }
  });
}

function combinationErrors(schema: JsonObject, fields: readonly FieldDefinition[]): ProblemItem[] {
  const byCode = new Map(fields.map((field) => [field.code, field]));
  return ['x-indexes', 'x-unique'].flatMap((keyword) => {
    const given = own(schema, keyword);
    if (given === undefined) return [];
    if (!Array.isArray(given)) return [itemAt(`/${keyword}`, 'INVALID_TYPE', 'must be a list')];
    return given.flatMap((names: unknown, index) => {
      const pointer = `/${keyword}/${index}`;
      if (!Array.isArray(names) || names.length === 0 || names.length > MAX_COMBINED_FIELDS) {
        return [itemAt(pointer, 'INVALID_TYPE', `must list 1 to ${MAX_COMBINED_FIELDS} fields`)];
      }
      const isKnown = (name: unknown): boolean =>
        byCode.get(String(name))?.sortable === true ||
        (keyword === 'x-indexes' && isStampField(String(name)));
      const unknown = names.find((name) => !isKnown(name));
      if (unknown === undefined) return [];
      const detail =
        keyword === 'x-indexes' && (unknown === 'createdAt' || unknown === 'id')
          ? `${unknown} needs no index: records are listed in that order anyway`
          : `${String(unknown)} is not a searchable single value`;
      return [itemAt(pointer, 'UNKNOWN_FIELD', detail)];
    });
  });
}
