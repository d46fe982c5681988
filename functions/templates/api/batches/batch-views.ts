import { inputOf, progressOf } from '../../batches/batch.ts';
import { fileNameOf } from '../../batches/batch-service.ts';
import type { BatchResult } from '../../domain/documents/batch-result.ts';
import type { TemplateJob } from '../../jobs/template-jobs.ts';

/** Maps a batch to its answer. */
export function toBatch(job: TemplateJob, fileUrl: string | undefined) {
  const { id, subject, state, processed, result, createdAt, createdBy, updatedAt } = job;
  const { file, outputFormat, fileVersion, entityType, total } = inputOf(job);
  const { code = 'INTERNAL_ERROR', detail } = result;
  return {
    ...{ batchId: id, templateId: subject, state, outputFormat, file, fileVersion },
    ...{ entityType: entityType ?? null, processed, failed: progressOf(job).failed, total },
    ...{ fileName: fileNameOf(job), fileUrl: fileUrl ?? null },
    failure: state === 'FAILED' ? { code, detail: String(detail) } : null,
    ...{ createdAt, createdBy, updatedAt },
  };
}

/** Maps the result of a record to its entry. */
export const toResult = ({ entityId, generationId, failure, ...result }: BatchResult) => ({
  ...result,
  entityId: entityId ?? null,
  generationId: generationId ?? null,
  failure: failure ?? null,
});
