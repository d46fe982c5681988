import * as z from 'zod';
import { filePart } from '../../../../shared/http/form.ts';
import { pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { SOURCE_TYPES } from '../../domain/fields/field.ts';
import { DATA_TYPES } from '../../domain/formats/data-type.ts';
import { declarations } from '../templates/field-schemas.ts';

/** Largest file that is uploaded. */
const MAX_FILE_BYTES = 4_194_304;
/** A form with the largest file: the request of a function holds 6 MB, and base64 adds a third. */
export const MAX_FORM_BYTES = 4_400_000;

const fileVersionText = lazy(() =>
  z
    .string()
    .regex(/^[1-9]\d{0,7}$/, 'must be a number from 1')
    .transform(Number),
);

export const fileParams = lazy(() =>
  z.strictObject({ templateId: z.uuid(), fileVersion: fileVersionText() }),
);
export const fileQuery = lazy(() =>
  z.strictObject({
    fileVersion: fileVersionText().optional().describe('Left out: the newest version.'),
  }),
);

export const uploadForm = lazy(() =>
  z.strictObject({
    file: filePart({ maxBytes: MAX_FILE_BYTES }).describe('A Word document (DOCX), at most 4 MiB.'),
    version: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'must be a number from 1')
      .transform(Number)
      .optional()
      .describe('The version of the template that was read, as in If-Match.'),
  }),
);

const warning = lazy(() =>
  z.object({
    code: z.string(),
    part: z.string(),
    paragraph: z.int().optional(),
    field: z.string().optional(),
  }),
);

const currentFile = lazy(() => ({
  fileVersion: z.int().min(1),
  fileName: z.string(),
  fileSize: z.int().describe('Bytes of the stored file.'),
  fileHash: z.string().describe('SHA-256 of the stored file in hexadecimal.'),
}));

export const fileVersion = lazy(() =>
  z
    .object({
      templateId: z.uuid(),
      ...currentFile(),
      origin: z.enum(['UPLOAD', 'RESTORE', 'COPY', 'EDITOR']),
      restoredFrom: z.int().nullable(),
      warnings: z.array(warning()),
      createdAt: z.iso.datetime({ precision: 3 }),
      createdBy: z.string(),
    })
    .meta({ id: 'TemplateFileVersion' }),
);
export const filePage = lazy(() => pageSchema(fileVersion(), 'TemplateFileVersionPage'));

const readOnly = lazy(() => z.unknown().optional().meta({ readOnly: true }));

export const fieldsBody = lazy(() =>
  z.strictObject({
    fields: declarations(),
    version: z.int().min(1).optional().describe('The version of the template that was read.'),
    ...{ templateId: readOnly(), fileVersion: readOnly() },
  }),
);

const field = lazy(() =>
  z
    .object({
      name: z.string(),
      label: z.string().nullable(),
      sourceType: z.enum(SOURCE_TYPES).nullable().describe('null: the field is not declared.'),
      sourceRef: z.string().nullable(),
      expression: z.string().nullable(),
      dataType: z.enum(DATA_TYPES),
      format: z.string().nullable(),
      required: z.boolean(),
      defaultValue: z.union([z.string(), z.number(), z.boolean()]).nullable(),
      lockedInOutput: z.boolean(),
      bound: z.boolean().describe('Whether the field is declared.'),
      occurrences: z.int().min(0).describe('Markers in the newest file.'),
    })
    .meta({ id: 'MergeField' }),
);

export const fieldList = lazy(() =>
  z
    .object({
      templateId: z.uuid(),
      version: z.int(),
      fileVersion: z.int().nullable(),
      fields: z.array(field()),
    })
    .meta({ id: 'MergeFields' }),
);

export const uploaded = lazy(() =>
  z
    .object({
      templateId: z.uuid(),
      ...currentFile(),
      fields: z.array(field()),
      warnings: z.array(warning()),
    })
    .meta({ id: 'UploadedTemplateFile' }),
);

const occurrence = lazy(() =>
  z.object({
    name: z.string(),
    part: z.string(),
    location: z.string(),
    paragraph: z.int(),
    kind: z.string(),
    raw: z.string(),
    switches: z.string().nullable(),
    splitRuns: z.int(),
    nested: z.boolean(),
    wrapped: z.boolean(),
  }),
);

export const inspection = lazy(() =>
  z
    .object({
      templateId: z.uuid(),
      fileVersion: z.int(),
      fileHash: z.string(),
      normalized: z.boolean(),
      summary: z.object({
        occurrences: z.int(),
        distinct: z.int(),
        byKind: z.record(z.string(), z.int()),
      }),
      fields: z.array(
        z.object({
          name: z.string(),
          kinds: z.array(z.string()),
          occurrences: z.array(occurrence()),
        }),
      ),
      sections: z.array(occurrence().extend({ open: z.boolean() })),
      unbound: z.array(z.string()).describe('In the file, and not declared.'),
      unused: z.array(z.string()).describe('Declared, and not in the file.'),
      invalid: z.array(occurrence().extend({ code: z.string() })),
      warnings: z.array(warning()),
    })
    .meta({ id: 'MergeFieldInspection' }),
);
