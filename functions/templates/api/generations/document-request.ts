import type * as z from 'zod';
import type { DocumentRequest } from '../../generations/preparation.ts';
import type { previewBody } from './generation-schemas.ts';

/** The document that a body asks for: null is as good as nothing. */
export const documentOf = ({
  outputFormat,
  entityType,
  entityId,
  entityData,
  fileVersion,
  pdfA,
  tagged,
}: z.output<ReturnType<typeof previewBody>>): DocumentRequest => ({
  outputFormat,
  ...(entityType != null && { entityType }),
  ...(entityId != null && { entityId }),
  ...(entityData != null && { entityData }),
  ...(fileVersion != null && { fileVersion }),
  ...((pdfA || tagged) && { pdf: { ...(pdfA && { pdfA }), ...(tagged && { tagged }) } }),
});
