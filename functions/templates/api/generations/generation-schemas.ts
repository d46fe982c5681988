import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import {
  EDIT_STATUSES,
  GENERATION_STATUSES,
  type OutputFormat,
} from '../../domain/documents/generation.ts';

/** Values of a request, with room for what JSON adds. */
export const MAX_GENERATE_BODY_BYTES = 1_200_000;
const MAX_DEPTH = 32;

const entityType = lazy(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the code of an entity')
    .describe('Entity of the record; left out: that of the template.'),
);
const entityId = lazy(() => z.uuid().describe('Id of the record whose values fill the document.'));
const instant = lazy(() => z.iso.datetime({ precision: 3 }));

/** Formats that are written. */
const FORMATS = ['DOCX', 'PDF', 'HTML'] as const satisfies readonly OutputFormat[];
const outputFormat = lazy(() => z.enum(FORMATS));

const documentMembers = lazy(() => ({
  outputFormat: outputFormat(),
  entityType: entityType().nullish(),
  entityId: entityId().nullish(),
  entityData: z
    .record(z.string(), z.unknown())
    .refine((data) => isShallow(data, MAX_DEPTH), `must not be deeper than ${MAX_DEPTH}`)
    .nullish()
    .describe('Values by merge field; they go before those of the record.'),
  fileVersion: z.int().min(1).max(99_999_999).nullish().describe('Left out: the newest file.'),
  pdfA: z
    .boolean()
    .nullish()
    .describe('A PDF for archives (ISO 19005-2, PDF/A-2b), where the engine makes them.'),
  tagged: z
    .boolean()
    .nullish()
    .describe('A PDF with the structure of its text, for readers that speak it.'),
}));

export const PDF_OPTIONS = ['pdfA', 'tagged'] as const;

/** Options of PDFs mean nothing for other formats. */
export const forPdf = <T extends z.ZodType<PdfMembers>>(body: T): T =>
  body.superRefine(({ outputFormat, ...options }, context) => {
    if (outputFormat === 'PDF') return;
    for (const name of PDF_OPTIONS) {
      if (!options[name]) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'is an option of PDF alone' });
    }
  });

interface PdfMembers {
  readonly outputFormat: OutputFormat;
  readonly pdfA?: boolean | null | undefined;
  readonly tagged?: boolean | null | undefined;
}

export const generateBody = lazy(() =>
  forPdf(
    z.strictObject({
      ...documentMembers(),
      idempotencyKey: z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
        .nullish()
        .describe(
          'One generation for each key and template, as long as it is kept. After a cancellation a new one.',
        ),
    }),
  ),
);

export const previewBody = lazy(() => forPdf(z.strictObject(documentMembers())));

export const generationParams = lazy(() =>
  z.strictObject({ templateId: z.uuid(), generationId: z.uuid() }),
);

export const listQuery = (web: PageLimits) =>
  z.strictObject({
    ...pageQuery(web),
    status: z.enum(GENERATION_STATUSES).optional(),
    entityType: z.string().min(1).max(100).optional(),
    entityId: z.uuid().optional(),
  });

const warning = lazy(() =>
  z.object({
    code: z.string(),
    field: z.string().optional(),
    part: z.string().optional(),
    message: z.string(),
  }),
);

const place = lazy(() =>
  z.object({
    name: z.string(),
    page: z.int().min(1),
    x: z.number().describe('Points (1/72 inch) from the left of the page.'),
    y: z.number().describe('Points from the bottom of the page.'),
    width: z.number(),
    height: z.number(),
  }),
);

const generationMembers = lazy(() => ({
  generationId: z.uuid(),
  templateId: z.uuid(),
  fileVersion: z.int().min(1),
  status: z.enum(GENERATION_STATUSES),
  editStatus: z
    .enum(EDIT_STATUSES)
    .describe('EDITABLE: DOCX, untouched; LOCKED: finalized or cancelled.'),
  format: z.enum(['DOCX', 'PDF', 'HTML']),
  fileName: z.string(),
  outputHash: z
    .string()
    .nullable()
    .describe('SHA-256 of the file in hexadecimal; null while there is none.'),
  warningCodes: z.array(z.string()).describe('Sorted, each once.'),
  documentNumber: z.string().nullable(),
  entityType: z.string().nullable(),
  entityId: z.string().nullable(),
  failure: z.object({ code: z.string(), detail: z.string() }).nullable(),
  createdAt: instant(),
  createdBy: z.string(),
  updatedAt: instant(),
  finalizedAt: instant().nullable(),
  finalizedBy: z.string().nullable(),
  cancelledAt: instant().nullable(),
  cancelledBy: z.string().nullable(),
}));

export const generation = lazy(() =>
  z
    .object({
      ...generationMembers(),
      fileUrl: z.string().nullable().describe('A link to the file that works for some time.'),
      places: z
        .array(place())
        .optional()
        .describe('Places that a PDF keeps free, such as for signatures.'),
      docsEditUrl: z.string().optional().describe('Opens the document in the editor; DOCX only.'),
      warnings: z.array(warning()),
    })
    .meta({ id: 'Generation' }),
);

const listed = lazy(() => z.object(generationMembers()).meta({ id: 'GenerationEntry' }));
export const generationPage = lazy(() => pageSchema(listed(), 'GenerationPage'));

export const preview = lazy(() =>
  z
    .object({
      fileUrl: z.string(),
      fileName: z.string(),
      format: z.enum(['DOCX', 'PDF', 'HTML']),
      warningCodes: z.array(z.string()),
      warnings: z.array(warning()),
    })
    .meta({ id: 'Preview' }),
);

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}
