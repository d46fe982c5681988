import { isJsonObject, type JsonObject, own } from '../entity/json.ts';

/** A field as the schema has it, outside of any layout node. */
export interface SchemaField {
  readonly code: string;
  readonly node: JsonObject;
  readonly required: boolean;
  /** Title of the layout node around it. */
  readonly group?: string;
}

/**
 * The fields of a schema in document order. Formily's `void` nodes are layout: their properties belong to the
 * object around them.
 */
export function flattenFields(schema: JsonObject): SchemaField[] {
  const required = own(schema, 'required');
  const names = new Set(Array.isArray(required) ? required : []);
  const walk = (properties: unknown, group?: string): SchemaField[] =>
    Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([code, node]) => {
      if (!isJsonObject(node)) return [{ code, node: {}, required: names.has(code) }];
      if (own(node, 'type') === 'void') {
        const title = own(node, 'title');
        return walk(own(node, 'properties'), typeof title === 'string' ? title : group);
      }
      const isRequired = names.has(code) || own(node, 'required') === true;
      return [{ code, node, required: isRequired, ...(group && { group }) }];
    });
  return walk(own(schema, 'properties'));
}

/**
 * The schema that records are checked against: layout nodes dissolved, boolean `required` and labelled `enum`
 * entries in the form of JSON Schema. Everything else stays.
 */
export function toDataSchema(schema: JsonObject): JsonObject {
  const fields = flattenFields(schema);
  const { required: _required, properties: _properties, ...rest } = schema;
  const required = fields.filter((field) => field.required).map(({ code }) => code);
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(fields.map(({ code, node }) => [code, toDataNode(node)])),
    ...(required.length > 0 && { required }),
  };
}

function toDataNode(node: JsonObject): JsonObject {
  const { required, enum: values, items, ...rest } = node;
  const plain: JsonObject = {
    ...rest,
    ...(Array.isArray(required) && { required }),
    ...(Array.isArray(values) && values.length > 0 && { enum: values.map(enumValue) }),
    ...(items !== undefined && { items: isJsonObject(items) ? toDataNode(items) : items }),
  };
  return isJsonObject(own(plain, 'properties')) ? toDataSchema(plain) : plain;
}

/** Formily writes `{label, value}`; JSON Schema the bare value. */
export function enumValue(entry: unknown): unknown {
  return isJsonObject(entry) && Object.hasOwn(entry, 'value') ? entry.value : entry;
}

/** What a form shows for an `enum` entry. */
export function enumLabel(entry: unknown): string {
  const label = isJsonObject(entry) ? own(entry, 'label') : undefined;
  return typeof label === 'string' ? label : String(enumValue(entry));
}
