import type { EntityLayout } from '../entity/entity.ts';
import type { FieldDefinition, FieldType, OnDelete, Reference } from '../entity/field.ts';
import { isJsonObject, type JsonObject, own } from '../entity/json.ts';
import { resolvePointer } from '../entity/pointer.ts';
import { readFileRules } from '../values/file-rules.ts';
import { fold } from '../values/folding.ts';
import { choicesOf, dataTypeOf, elementTypeOf, fieldTypeOf } from './field-type.ts';
import { flattenFields, type SchemaField } from './flatten.ts';
import type { FormDocument } from './read-document.ts';

/** Most values of a field that records are counted by. */
const MAX_FACET_VALUES = 50;
const NOT_INDEXED: ReadonlySet<FieldType> = new Set(['TEXT', 'JSON', 'FILE']);

/** Derives the fields of an entity from its form document, in the order of the form. */
export function deriveFields(document: FormDocument, schemaVersion: number): FieldDefinition[] {
  const found = flattenFields(document.schema).map((field) => ({
    ...field,
    node: resolveReference(field.node, document.schema),
  }));
  const fields = inFormOrder(found, document).map((field, order) =>
    deriveField(field, document, order, schemaVersion),
  );
  if (fields.some(({ searchMode }) => searchMode === 'word')) return fields;
  const label = labelOf(fields, document.schema);
  return fields.map((field) => (field === label ? { ...field, searchMode: 'word' } : field));
}

/** Keywords of a schema that concern the whole entity. */
export function deriveLayout(
  { schema }: FormDocument,
  fields: readonly FieldDefinition[],
): EntityLayout {
  const label = labelOf(fields, schema);
  const treeOrder = own(schema, 'x-tree-order');
  return {
    ...(label && { labelField: label.code }),
    ...(fields.some(({ code }) => code === treeOrder) && { treeOrderField: String(treeOrder) }),
    openEnded: own(schema, 'additionalProperties') === true,
  };
}

/** `x-label`, else the first short text. */
function labelOf(
  fields: readonly FieldDefinition[],
  schema: JsonObject,
): FieldDefinition | undefined {
  const isReadable = ({ encrypted, writeOnly }: FieldDefinition) => !encrypted && !writeOnly;
  const named = fields.find(({ code }) => code === own(schema, 'x-label'));
  if (named && isReadable(named)) return named;
  return fields.find((field) => field.fieldType === 'STRING' && isReadable(field));
}

function deriveField(
  { code, node, required, group }: SchemaField,
  document: FormDocument,
  order: number,
  schemaVersion: number,
): FieldDefinition {
  const fieldType = fieldTypeOf(node);
  const choices = choicesOf(fieldType === 'MULTI' ? itemsOf(node) : node);
  const widget = widgetOf(code, node, document);
  const renamedFrom = asText(node, 'x-renamed-from');
  const files = own(node, 'x-file');
  const numberFormat = asText(node, 'x-number');
  return {
    code,
    name: asText(node, 'title') ?? code,
    fieldType,
    ...(fieldType === 'MULTI' && { elementType: elementTypeOf(node) }),
    dataType: dataTypeOf(node),
    required,
    ...texts(node, ['description', 'format', 'pattern']),
    ...numbers(node, ['minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf']),
    ...(Object.hasOwn(node, 'default') && { default: node.default }),
    ...(choices && { enum: choices.values, enumLabels: choices.labels }),
    readOnly: own(node, 'readOnly') === true || numberFormat !== undefined,
    ...(numberFormat !== undefined && { numberFormat }),
    ...(isJsonObject(files) && { file: readFileRules(files) }),
    ...searchOf(node, fieldType, choices?.values),
    order,
    ...(widget && { widget }),
    ...(group && { group }),
    visible: isVisible(node, widget),
    schemaVersion,
    ...(renamedFrom && { renamedFrom }),
  };
}

const isVisible = (node: JsonObject, widget: string | undefined): boolean =>
  own(node, 'x-hidden') !== true && own(node, 'x-visible') !== false && widget !== 'hidden';

/** Search, sort, facet and unique settings of a field; secret fields have none. */
function searchOf(node: JsonObject, fieldType: FieldType, choices: readonly unknown[] | undefined) {
  const encrypted = own(node, 'x-encrypted') === true;
  const writeOnly = own(node, 'writeOnly') === true;
  const isOpen = !encrypted && !writeOnly;
  const unique = isOpen && (own(node, 'x-unique') === true || own(node, 'unique') === true);
  const reference = referenceOf(node);
  const asked = asBoolean(node, 'x-searchable') ?? !NOT_INDEXED.has(fieldType);
  const isWanted = isOpen && (asked || unique || reference !== undefined);
  const searchable = isWanted && fieldType !== 'JSON' && fieldType !== 'FILE';
  return {
    writeOnly,
    encrypted,
    unique,
    ...(own(node, 'x-unique-accents') === true && { accents: true as const }),
    searchable,
    searchMode: isOpen && own(node, 'x-search') ? ('word' as const) : ('none' as const),
    facet: searchable && isCounted(fieldType, choices) && node['x-facet'] !== false,
    sortable: searchable && fieldType !== 'MULTI',
    ...(reference && { reference }),
  };
}

/** Values with equal folded keys would share a counter, so such a field is not counted. */
function isCounted(fieldType: FieldType, values: readonly unknown[] | undefined): boolean {
  if (fieldType === 'BOOLEAN') return true;
  if (fieldType !== 'ENUM' || !values || values.length > MAX_FACET_VALUES) return false;
  return new Set(values.map((value) => fold(String(value)))).size === values.length;
}

const ON_DELETE: ReadonlySet<unknown> = new Set<OnDelete>(['restrict', 'setNull', 'none']);

function referenceOf(node: JsonObject): Reference | undefined {
  const given = own(node, 'x-reference') ?? own(itemsOf(node), 'x-reference');
  if (!isJsonObject(given)) return undefined;
  const { entity, labelField, onDelete } = given;
  if (typeof entity !== 'string') return undefined;
  return {
    entity,
    ...(typeof labelField === 'string' && { labelField }),
    onDelete: ON_DELETE.has(onDelete) ? (onDelete as OnDelete) : 'restrict',
  };
}

function itemsOf(node: JsonObject): JsonObject {
  const items = own(node, 'items');
  return isJsonObject(items) ? items : {};
}

/** Follows a local `$ref`, so that the type of what it names decides. */
function resolveReference(node: JsonObject, root: JsonObject): JsonObject {
  let current = node;
  for (let step = 0; step < 8; step += 1) {
    const target = own(current, '$ref');
    if (typeof target !== 'string') return current;
    const found = resolvePointer(root, target);
    const { $ref: _ref, ...rest } = current;
    if (!isJsonObject(found)) return rest;
    current = { ...found, ...rest };
  }
  return current;
}

/** `x-index` and `x-order` of the fields, else `ui:order`, else the order of the document. */
function inFormOrder(fields: readonly SchemaField[], document: FormDocument): SchemaField[] {
  const listed = own(document.uiSchema ?? document.schema, 'ui:order');
  const order = Array.isArray(listed) ? listed : [];
  const rest = order.includes('*') ? order.indexOf('*') : order.length;
  const position = ({ code, node }: SchemaField, index: number): number => {
    const explicit = own(node, 'x-index') ?? own(node, 'x-order');
    if (typeof explicit === 'number') return explicit;
    if (order.length === 0) return index;
    return order.includes(code) ? order.indexOf(code) : rest;
  };
  return fields
    .map((field, index) => ({ field, at: position(field, index) }))
    .sort((one, other) => one.at - other.at)
    .map(({ field }) => field);
}

function widgetOf(code: string, node: JsonObject, document: FormDocument): string | undefined {
  const layout = own(document.uiSchema ?? {}, code);
  const hint = isJsonObject(layout) ? layout : {};
  const widget =
    own(hint, 'ui:widget') ??
    own(node, 'ui:widget') ??
    own(node, 'x-component') ??
    controlOf(code, document.uischema);
  if (typeof widget === 'string') return widget;
  const format = own(node, 'format');
  return typeof format === 'string' ? format : undefined;
}

/** Type of the JSON Forms control of a field, or the format its options name. */
function controlOf(code: string, uischema: JsonObject | undefined): string | undefined {
  if (!uischema) return undefined;
  if (uischema.scope === `#/properties/${code}`) {
    const options = own(uischema, 'options');
    const format = isJsonObject(options) ? own(options, 'format') : undefined;
    return typeof format === 'string' ? format : asText(uischema, 'type');
  }
  const elements = own(uischema, 'elements');
  return (Array.isArray(elements) ? elements : [])
    .filter(isJsonObject)
    .map((element) => controlOf(code, element))
    .find((found) => found !== undefined);
}

function asText(node: JsonObject, name: string): string | undefined {
  const value = own(node, name);
  return typeof value === 'string' ? value : undefined;
}

function asBoolean(node: JsonObject, name: string): boolean | undefined {
  const value = own(node, name);
  return typeof value === 'boolean' ? value : undefined;
}

function texts<N extends string>(node: JsonObject, names: readonly N[]) {
  return Object.fromEntries(
    names.flatMap((name) => (asText(node, name) === undefined ? [] : [[name, node[name]]])),
  ) as Partial<Record<N, string>>;
}

function numbers<N extends string>(node: JsonObject, names: readonly N[]) {
  return Object.fromEntries(
    names.flatMap((name) => (typeof own(node, name) === 'number' ? [[name, node[name]]] : [])),
  ) as Partial<Record<N, number>>;
}
