import type * as z from 'zod';
import type { BatchRequest } from '../../batches/batch.ts';
import type { batchBody } from './batch-schemas.ts';

/** The batch that a body asks for: null is as good as nothing. */
export const batchOf = ({
  outputFormat,
  entityType,
  fileVersion,
  file,
  records,
}: z.output<ReturnType<typeof batchBody>>): BatchRequest => ({
  ...{ outputFormat, file },
  ...(entityType != null && { entityType }),
  ...(fileVersion != null && { fileVersion }),
  records: records.map(({ entityId, entityData }) => ({
    ...(entityId != null && { entityId }),
    ...(entityData != null && { entityData }),
  })),
});
