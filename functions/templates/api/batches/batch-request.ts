import type * as z from 'zod';
import type { BatchRequest } from '../../batches/batch.ts';
import { documentOf } from '../generations/document-request.ts';
import type { batchBody } from './batch-schemas.ts';

/** The batch that a body asks for: null is as good as nothing. */
export const batchOf = ({
  file,
  records,
  ...ofAll
}: z.output<ReturnType<typeof batchBody>>): BatchRequest => ({
  ...documentOf(ofAll),
  file,
  records: records.map(({ entityId, entityData }) => ({
    ...(entityId != null && { entityId }),
    ...(entityData != null && { entityData }),
  })),
});
