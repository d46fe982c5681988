import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { JOB_STATES } from '../../../../shared/jobs/job.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { BATCH_FILES } from '../../batches/batch.ts';
import { forPdf, PDF_OPTIONS, previewBody } from '../generations/generation-schemas.ts';

/** Values of all records together. */
export const MAX_BATCH_BODY_BYTES = 4_000_000;
const MAX_RECORDS = 500;

const instant = lazy(() => z.iso.datetime({ precision: 3 }));

export const batchBody = lazy(() => {
  const { entityId, entityData, ...ofAll } = previewBody().shape;
  const body = z.strictObject({
    ...ofAll,
    file: z
      .enum(BATCH_FILES)
      .default('ZIP')
      .describe('What the documents become: an archive, or one PDF with all their pages.'),
    records: z
      .array(z.strictObject({ entityId, entityData }))
      .min(1)
      .max(MAX_RECORDS)
      .describe('One document for each, in this order.'),
  });
  return forPdf(body).superRefine(({ file, outputFormat, ...options }, context) => {
    if (file === 'ZIP') return;
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (outputFormat !== 'PDF') refuse('file', 'can be PDF only when outputFormat is PDF');
    for (const name of PDF_OPTIONS) {
      if (options[name]) refuse(name, 'is lost in one PDF of many; take file ZIP');
    }
  });
});

export const batchParams = lazy(() => z.strictObject({ templateId: z.uuid(), batchId: z.uuid() }));

export const resultsQuery = (web: PageLimits) => z.strictObject(pageQuery(web));

const failure = lazy(() => z.object({ code: z.string(), detail: z.string() }).nullable());

export const batch = lazy(() =>
  z
    .object({
      batchId: z.uuid(),
      templateId: z.uuid(),
      state: z.enum(JOB_STATES).describe('CANCELLING: no further document is generated.'),
      outputFormat: z.enum(['DOCX', 'PDF', 'HTML']),
      file: z.enum(BATCH_FILES),
      fileVersion: z.int().min(1),
      entityType: z.string().nullable(),
      processed: z.int().min(0).describe('Records that have a result.'),
      failed: z.int().min(0).describe('Those without a document.'),
      total: z.int().min(1),
      fileName: z.string(),
      fileUrl: z
        .string()
        .nullable()
        .describe('A link to the file that works for some time; null until there is one.'),
      failure: failure().describe('Why the batch as a whole has failed.'),
      createdAt: instant(),
      createdBy: z.string(),
      updatedAt: instant(),
    })
    .meta({ id: 'Batch' }),
);

const result = lazy(() =>
  z
    .object({
      index: z.int().min(0).describe('Place in the list of records, from 0.'),
      entityId: z.string().nullable(),
      status: z.enum(['GENERATED', 'FAILED']),
      generationId: z.uuid().nullable().describe('Null when the request was refused before.'),
      failure: failure(),
    })
    .meta({ id: 'BatchResult' }),
);
export const resultPage = lazy(() => pageSchema(result(), 'BatchResultPage'));
