import * as z from 'zod';
import type { JsonSchema } from './document.ts';

/** Direction of a schema: request or response. */
type Side = 'input' | 'output';

/** Converts schemas to JSON Schema and collects the named ones. */
export class SchemaRegistry {
  readonly #components = new Map<string, JsonSchema>();

  /** JSON Schema (draft 2020-12) of a schema; parts with `.meta({ id })` become references to components. */
  add(schema: z.ZodType, io: Side): JsonSchema {
    const { $schema, $defs, ...root } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => tidy(jsonSchema as Record<string, unknown>),
    }) as JsonSchema & { readonly $defs?: Readonly<Record<string, JsonSchema>> };
    const names = this.#nameAll($defs ?? {}, io);
    for (const [id, definition] of Object.entries($defs ?? {})) {
      this.#components.set(names.get(id) ?? id, redirect(definition, names) as JsonSchema);
    }
    return redirect(root, names) as JsonSchema;
  }

  /** The named schemas, by name. */
  get components(): Readonly<Record<string, JsonSchema>> {
    return sorted(this.#components);
  }

  /** A schema whose request and response forms differ gets two names. */
  #nameAll(definitions: Readonly<Record<string, JsonSchema>>, io: Side): Map<string, string> {
    const plain = new Map(Object.keys(definitions).map((id) => [id, id]));
    const differs = (id: string): boolean => {
      const known = this.#components.get(id);
      const wanted = redirect(definitions[id], plain);
      return known !== undefined && JSON.stringify(known) !== JSON.stringify(wanted);
    };
    const anyDiffers = Object.keys(definitions).some(differs);
    if (!anyDiffers) return plain;
    const suffix = io === 'input' ? 'Input' : 'Output';
    return new Map(Object.keys(definitions).map((id) => [id, `${id}${suffix}`]));
  }
}

/** Drops the long pattern of instants: their format says the same. */
function tidy(schema: Record<string, unknown>): void {
  if (schema.format === 'date-time') delete schema.pattern;
}

function redirect(node: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(node)) return node.map((part) => redirect(part, names));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== 'id' || !('$ref' in node))
      .map(([key, value]) => [
        key,
        key === '$ref' && typeof value === 'string'
          ? toComponent(value, names)
          : redirect(value, names),
      ]),
  );
}

function toComponent(reference: string, names: ReadonlyMap<string, string>): string {
  const id = reference.replace('#/$defs/', '');
  return `#/components/schemas/${names.get(id) ?? id}`;
}

function sorted<T>(entries: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
