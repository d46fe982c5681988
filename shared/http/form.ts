import * as z from 'zod';

/** Content type of forms. */
export const FORM_TYPE = 'multipart/form-data';

/** A file of a form, as it was sent. */
export interface FilePart {
  /** Name of the file without folders; empty when none was sent. */
  readonly fileName: string;
  /** Content type of the part, without parameters, in lower case. */
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Limits of a file in a form. */
export interface FileRules {
  /** Largest file in bytes; the limit of the whole body counts besides. */
  readonly maxBytes: number;
  /** Accepted content types; any when left out. */
  readonly types?: readonly string[];
}

/** A form whose parts have names: texts and files. */
export type FormSchema = z.ZodObject;

const fileRules = z.registry<FileRules>();

/**
 * A file in the schema of a form.
 * @example form: z.strictObject({ file: filePart({ maxBytes: 1_000_000 }), version: z.string().optional() })
 */
export function filePart(rules: FileRules) {
  const schema = z
    .custom<FilePart>((value) => isFilePart(value), 'must be a file')
    .meta({ type: 'string', format: 'binary' });
  fileRules.add(schema, rules);
  return schema;
}

/** The files of a form and their rules, by name. */
export function filesOf(form: FormSchema): ReadonlyMap<string, FileRules> {
  return new Map(
    Object.entries(form.shape).flatMap(([name, field]) => {
      const rules = fileRules.get(innermost(field));
      return rules ? [[name, rules] as const] : [];
    }),
  );
}

/** Unwraps `optional()`, `nullable()` and the like. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ? innermost(schema.unwrap()) : schema;
}

const isFilePart = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
