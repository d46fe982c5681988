import * as z from 'zod';

/** Property names that a schema accepts at a path, over all alternatives of a union. */
export function knownMembers(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const plain = unwrap(schema);
  if (plain instanceof z.ZodUnion) {
    return plain.options.flatMap((option) => knownMembers(option, path));
  }
  const [first, ...rest] = path;
  if (first === undefined) {
    return plain instanceof z.ZodObject ? Object.keys(plain.shape) : [];
  }
  const inner = memberOf(plain, first);
  return inner ? knownMembers(inner, rest) : [];
}

function memberOf(schema: z.core.$ZodType, name: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodObject ? schema.shape[String(name)] : undefined;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}
