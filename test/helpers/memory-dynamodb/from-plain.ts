import type { Attributes, AttributeValue } from './attribute-value.ts';

/** An item as it travels; what is `undefined` stays behind. */
export function fromPlain(item: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Record<string, AttributeValue> = {};
  for (const name in item) {
    if (item[name] !== undefined) attributes[name] = toValue(item[name]);
  }
  return attributes;
}

function toValue(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: value.map(toValue) };
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return { M: fromPlain(value as Readonly<Record<string, unknown>>) };
  }
  throw new TypeError(`an item holds no ${typeof value} such as ${String(value)}`);
}
