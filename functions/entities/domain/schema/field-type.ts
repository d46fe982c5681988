import type { FieldType } from '../entity/field.ts';
import { isJsonObject, type JsonObject, own } from '../entity/json.ts';
import { MAX_KEY_BYTES } from '../values/folding.ts';
import { enumLabel, enumValue } from './flatten.ts';

const TEXT_FORMATS = new Set(['textarea', 'markdown', 'html', 'richtext']);
const FILE_FORMATS = new Set(['file', 'image', 'data-url']);

const BY_FORMAT: Readonly<Record<string, FieldType>> = {
  date: 'DATE',
  'date-time': 'DATETIME',
  time: 'TIME',
  uuid: 'UUID',
  email: 'EMAIL',
  uri: 'URI',
  url: 'URI',
  decimal: 'DECIMAL',
  reference: 'REFERENCE',
};

/** The JSON type of a node: that of its `type`, its `enum` or its `const`; `null` beside another type is left out. */
export function dataTypeOf(node: JsonObject): string {
  const type = own(node, 'type');
  if (typeof type === 'string') return type;
  const types = (Array.isArray(type) ? type : []).filter((entry) => entry !== 'null');
  if (types.length === 1) return String(types[0]);
  if (types.length > 1) return 'any';
  const [first, ...others] = choicesOf(node)?.values ?? [];
  if (first === undefined) return isJsonObject(own(node, 'properties')) ? 'object' : 'any';
  return others.every((value) => typeof value === typeof first) ? typeof first : 'any';
}

/** The field type that follows from a node. */
export function fieldTypeOf(node: JsonObject): FieldType {
  const format = own(node, 'format');
  if (isJsonObject(own(node, 'x-reference'))) {
    return dataTypeOf(node) === 'array' ? 'MULTI' : 'REFERENCE';
  }
  switch (dataTypeOf(node)) {
    case 'string':
      return stringType(node, typeof format === 'string' ? format : undefined);
    case 'integer':
      return 'INTEGER';
    case 'number':
      return 'NUMBER';
    case 'boolean':
      return 'BOOLEAN';
    case 'array':
      return elementTypeOf(node) === 'JSON' ? 'JSON' : 'MULTI';
    default:
      return 'JSON';
  }
}

/** The type of the elements of a list. */
export function elementTypeOf(node: JsonObject): FieldType {
  if (isJsonObject(own(node, 'x-reference'))) return 'REFERENCE';
  const items = own(node, 'items');
  const type = isJsonObject(items) ? fieldTypeOf(items) : 'JSON';
  return type === 'MULTI' || type === 'FILE' ? 'JSON' : type === 'TEXT' ? 'STRING' : type;
}

function stringType(node: JsonObject, format: string | undefined): FieldType {
  const known = format === undefined ? undefined : BY_FORMAT[format];
  if (known) return known;
  if (choicesOf(node)) return 'ENUM';
  if (format !== undefined && FILE_FORMATS.has(format)) return 'FILE';
  const maxLength = own(node, 'maxLength');
  const isLong = typeof maxLength === 'number' && maxLength > MAX_KEY_BYTES;
  const isText = (format !== undefined && TEXT_FORMATS.has(format)) || isLong;
  return isText || own(node, 'contentMediaType') !== undefined ? 'TEXT' : 'STRING';
}

/** The values a node allows by `enum`, `const` or `oneOf` with `const`, and their labels. */
export function choicesOf(
  node: JsonObject,
): { readonly values: readonly unknown[]; readonly labels: readonly string[] } | undefined {
  const listed = own(node, 'enum');
  if (Array.isArray(listed) && listed.length > 0) {
    return { values: listed.map(enumValue), labels: listed.map(enumLabel) };
  }
  if (Object.hasOwn(node, 'const')) return { values: [node.const], labels: [String(node.const)] };
  const options = own(node, 'oneOf') ?? own(node, 'anyOf');
  if (!Array.isArray(options) || options.length === 0) return undefined;
  const named = options.filter(isJsonObject).filter((option) => Object.hasOwn(option, 'const'));
  if (named.length !== options.length) return undefined;
  return {
    values: named.map((option) => option.const),
    labels: named.map((option) =>
      typeof option.title === 'string' ? option.title : String(option.const),
    ),
  };
}
