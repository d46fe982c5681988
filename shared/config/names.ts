import leven from 'leven';
import type * as z from 'zod';
import { isRecord } from './key-case.ts';
import type { ConfigSection } from './section.ts';

/** A property as the reference table shows it. */
export interface PropertyDescription {
  /** Full name, such as `svc.mq.relay.batch-size`. */
  readonly name: string;
  readonly meaning: string;
  /** The default; `undefined` when there is none. */
  readonly fallback: unknown;
}

/** Lists every property of the sections with its meaning and default, in their order. */
export function describeProperties(sections: readonly ConfigSection[]): PropertyDescription[] {
  return sections.flatMap(({ name, schema }) =>
    leaves(schema as unknown as SchemaNode, `svc.${name}`),
  );
}

/** The names of `describeProperties`. */
export function propertyNames(sections: readonly ConfigSection[]): string[] {
  return describeProperties(sections).map(({ name }) => name);
}

/** The known name that is nearest to a mistyped one. */
export function nearestName(name: string, known: readonly string[]): string {
  return known.reduce((best, candidate) =>
    leven(name, candidate) < leven(name, best) ? candidate : best,
  );
}

/** Expands dotted keys into a tree: `{'mq.relay': {enabled: true}}` becomes `{mq: {relay: {enabled: true}}}`. */
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
