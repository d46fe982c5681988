import * as z from 'zod';
import { filePart } from '../../../../shared/http/form.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { recordBody } from '../record-schemas.ts';

export const bulkBody = lazy(() =>
  z.strictObject({
    operations: z
      .array(
        z
          .strictObject({
            op: z.enum(['create', 'update', 'delete', 'restore']),
            id: z.uuid().optional().describe('Needed by all but create.'),
            version: z.int().min(1).optional().describe('The version that was read.'),
            data: recordBody().optional(),
          })
          .superRefine(({ op, id }, context) => {
            if (op === 'create' || id !== undefined) return;
            const message = `is required by ${op}`;
            context.addIssue({
              code: 'custom',
              path: ['id'],
              message,
              params: { code: 'REQUIRED' },
            });
          }),
      )
      .min(1)
      .max(500),
    atomic: z
      .boolean()
      .default(false)
      .describe('All of them or none; only what fits one transaction.'),
  }),
);

/** Largest body of a request, in bytes: a function takes 6 MB as base64. */
export const MAX_IMPORT_BYTES = 4_500_000;
export const importForm = lazy(() =>
  z.strictObject({ file: filePart({ maxBytes: MAX_IMPORT_BYTES }) }),
);
export type ImportForm = z.output<ReturnType<typeof importForm>>;
export const importBody = lazy(() => z.union([z.instanceof(Uint8Array), z.unknown()]));

export const bulkResult = lazy(() =>
  z
    .object({
      results: z.array(
        z.object({
          index: z.int(),
          status: z.int(),
          id: z.string().optional(),
          version: z.int().optional(),
          jobId: z.string().optional().describe('The job that deletes a large subtree.'),
          error: z.looseObject({ code: z.string(), detail: z.string() }).optional(),
        }),
      ),
    })
    .meta({ id: 'EntityBulkResult' }),
);
export const importResult = lazy(() =>
  z
    .object({
      created: z.int(),
      updated: z.int(),
      failed: z.int(),
      errors: z.array(
        z.object({
          row: z.int(),
          field: z.string().optional(),
          code: z.string(),
          detail: z.string().optional(),
        }),
      ),
      exact: z
        .literal(false)
        .optional()
        .describe(
          'Of a dry run that had to forget what may have mattered, or of a caller who may not view everything.',
        ),
    })
    .meta({ id: 'EntityImportResult' }),
);
/** A file with one record on each line. */
export const lines = lazy(() => z.unknown().describe('One record on each line.'));

/** Fields of an exported record that an import needs. */
export const exported = lazy(() => z.array(z.looseObject({ id: z.string() })));

const chosen = lazy(() => ({
  filter: z
    .record(z.string(), z.unknown())
    .describe(
      'Condition as in the parameter filter of a list: {"status":"open"}; {} stands for all records.',
    ),
  q: z.string().max(200).optional().describe('Words that must all begin words of the record.'),
  dryRun: z.boolean().default(false).describe('Changes nothing and says what would happen.'),
}));
export const updateByFilterBody = lazy(() =>
  z
    .strictObject({
      ...chosen(),
      data: recordBody().describe('Values by field code; null clears a field.'),
    })
    .meta({ id: 'UpdateByFilter' }),
);
export const deleteByFilterBody = lazy(() =>
  z.strictObject(chosen()).meta({ id: 'DeleteByFilter' }),
);
