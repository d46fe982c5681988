import leven from 'leven';
import type * as z from 'zod';
import { svcConfigSchema } from './schema.ts';

/** Turns `batch-size` into `batchSize`. */
export type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The same tree with camel-case keys; lists stay as they are. */
export type CamelCaseKeys<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T & string as CamelCase<K>]: CamelCaseKeys<T[K]> }
    : T;

/** A property as the reference table shows it. */
export interface PropertyDescription {
  /** Full name, such as `svc.mq.relay.batch-size`. */
  readonly name: string;
  readonly meaning: string;
  /** The default; `undefined` when there is none. */
  readonly fallback: unknown;
}

/** Lists every property with its meaning and default, in the order of the schema. */
export function describeProperties(): PropertyDescription[] {
  return leaves(svcConfigSchema as SchemaNode, 'svc');
}

/** The names of `describeProperties`. */
const propertyNames: readonly string[] = describeProperties().map(({ name }) => name);

/** The property whose name is nearest to a mistyped one. */
export function nearestProperty(name: string): string {
  return propertyNames.reduce((best, candidate) =>
    leven(name, candidate) < leven(name, best) ? candidate : best,
  );
}

/** Spreads dotted keys into a tree: `{'mq.relay': {enabled: true}}` becomes `{mq: {relay: {enabled: true}}}`. */
export function expandDottedKeys(raw: Record<string, unknown>): Record<string, unknown> {
  const tree: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(raw)) {
    const segments = key.split('.');
    const last = segments.pop() ?? key;
    const branch = segments.reduce<Record<string, unknown>>((node, segment) => {
      if (!isRecord(node[segment])) node[segment] = Object.create(null);
      return node[segment] as Record<string, unknown>;
    }, tree);
    const expanded = isRecord(value) ? expandDottedKeys(value) : value;
    branch[last] =
      isRecord(branch[last]) && isRecord(expanded) ? merge(branch[last], expanded) : expanded;
  }
  return tree;
}

/** Renames the keys of a tree; lists and their members stay as they are. */
export function renameKeys(node: unknown, rename: (key: string) => string): unknown {
  if (!isRecord(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [rename(key), renameKeys(value, rename)]),
  );
}

/** `batch-size` to `batchSize`. */
export const toCamelCase = (key: string): string =>
  key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `batchSize` to `batch-size`. */
export const toKebabCase = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Whether a value is a plain tree node (an object, not a list). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merge(
  target: Record<string, unknown>,
  source: Record<string, unknown>,
): Record<string, unknown> {
  for (const [key, value] of Object.entries(source)) {
    const present = target[key];
    target[key] = isRecord(present) && isRecord(value) ? merge(present, value) : value;
  }
  return target;
}

type SchemaNode = z.ZodType & {
  readonly description?: string;
  readonly def: {
    type: string;
    innerType?: SchemaNode;
    defaultValue?: unknown;
    shape?: Record<string, SchemaNode>;
  };
};

function leaves(node: SchemaNode, name: string): PropertyDescription[] {
  const inner = node.def.type === 'prefault' && node.def.innerType ? node.def.innerType : node;
  if (inner.def.shape) {
    return Object.entries(inner.def.shape).flatMap(([key, child]) =>
      leaves(child, `${name}.${key}`),
    );
  }
  const fallback = inner.def.type === 'default' ? inner.def.defaultValue : undefined;
  return [{ name, meaning: inner.description ?? '', fallback }];
}
