import { isEqual, toNumber, toText } from './coercion.ts';
import { ExpressionError } from './expression-error.ts';
import { HostObject, type Value } from './host-object.ts';
import { propertyRead } from './known-names.ts';
import { TEXT_METHODS } from './text-methods.ts';

type Method<Self> = (self: Self, ...args: readonly Value[]) => Value;

const LIST: Readonly<Record<string, Method<readonly Value[]>>> = {
  size: (list) => list.length,
  isEmpty: (list) => list.length === 0,
  contains: (list, item) => list.some((element) => isEqual(element, item)),
  indexOf: (list, item) => list.findIndex((element) => isEqual(element, item)),
  get: (list, index) => list[toNumber(index)] ?? null,
};

const MAP: Readonly<Record<string, Method<Readonly<Record<string, Value>>>>> = {
  size: (map) => Object.keys(map).length,
  isEmpty: (map) => Object.keys(map).length === 0,
  containsKey: (map, key) => Object.hasOwn(map, toText(key)),
  get: (map, key) => (Object.hasOwn(map, toText(key)) ? map[toText(key)] : null),
};

/** Whether some value has such a method: what the check of a model can know. */
export const isValueMethod = (name: string): boolean =>
  Object.hasOwn(TEXT_METHODS, name) || Object.hasOwn(LIST, name) || Object.hasOwn(MAP, name);

/** Calls a method of the allow-list; nothing else can be called on a value. */
export function callMethod(self: Value, name: string, args: readonly Value[]): Value {
  if (self instanceof HostObject) return callHostObject(self, name, args);
  if (typeof self === 'string') return callOwn(TEXT_METHODS, name)(self, ...args);
  if (Array.isArray(self)) return callOwn(LIST, name)(self, ...args);
  if (self !== null && typeof self === 'object') {
    return callOwn(MAP, name)(self as Readonly<Record<string, Value>>, ...args);
  }
  if (self === null || self === undefined) throw new ExpressionError(`${name}() is called on null`);
  throw new ExpressionError(`there is no method ${name}() here`);
}

function callHostObject(self: HostObject, name: string, args: readonly Value[]): Value {
  const property = Object.hasOwn(self.methods, name) ? undefined : propertyRead(name);
  if (property === undefined) return callOwn(self.methods, name)(...args);
  return readMember(self, property);
}

function callOwn<Table extends Readonly<Record<string, unknown>>>(
  methods: Table,
  name: string,
): Table[string] {
  if (!Object.hasOwn(methods, name)) {
    throw new ExpressionError(`there is no method ${name}() here`);
  }
  return methods[name] as Table[string];
}

/** Reads `object.key` or `object[key]`: own properties only; null has none, so its are null. */
export function readMember(object: Value, key: Value): Value {
  if (object === null || object === undefined) return null;
  if (object instanceof HostObject) {
    const name = toText(key);
    if (!Object.hasOwn(object.properties, name)) {
      throw new ExpressionError(`there is no property ${name} here`);
    }
    return object.properties[name]?.();
  }
  if (typeof object !== 'object') throw new ExpressionError(`${toText(key)} is read from a value`);
  if (Array.isArray(object)) return (object as readonly Value[])[toNumber(key)] ?? null;
  const name = toText(key);
  return Object.hasOwn(object, name) ? (object as Readonly<Record<string, Value>>)[name] : null;
}
