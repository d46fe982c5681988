import type { Generation } from '../../domain/documents/generation.ts';

/** What answers are made of besides the generation. */
export interface ShownGeneration {
  readonly generation: Generation;
  readonly fileUrl: string | undefined;
  readonly baseUrl: string;
}

/** Maps a generation to its entry in a list. */
export function toEntry({
  id,
  templateCode: _code,
  templateType: _type,
  tenant: _tenant,
  output,
  attempt: _attempt,
  leaseUntil: _lease,
  jobId: _job,
  remains: _remains,
  version: _version,
  createdByIssuer: _issuer,
  warnings: _warnings,
  ...generation
}: Generation) {
  return {
    generationId: id,
    ...generation,
    outputHash: output?.hash ?? null,
    documentNumber: generation.documentNumber ?? null,
    entityType: generation.entityType ?? null,
    entityId: generation.entityId ?? null,
    failure: generation.failure ?? null,
    finalizedAt: generation.finalizedAt ?? null,
    finalizedBy: generation.finalizedBy ?? null,
    cancelledAt: generation.cancelledAt ?? null,
    cancelledBy: generation.cancelledBy ?? null,
  };
}

/** Maps a generation to its answer. */
export const toGeneration = ({ generation, fileUrl, baseUrl }: ShownGeneration) => {
  const { format, output, warnings } = generation;
  return {
    ...toEntry(generation),
    fileUrl: fileUrl ?? null,
    ...(output?.places && { places: output.places }),
    ...(format === 'DOCX' && output && { docsEditUrl: editUrl(generation, output.path, baseUrl) }),
    warnings,
  };
};

/** Opens a document in the editor; one that is locked for reading only. */
function editUrl(
  { id, fileName, templateType, editStatus }: Generation,
  fileId: string,
  baseUrl: string,
): string {
  const mode = editStatus === 'LOCKED' ? 'view' : 'edit';
  const query = new URLSearchParams({
    ...{ fileId, fileName, templateType },
    ...{ documentId: id, mode },
  });
  return `${baseUrl}/api/v1/docs/editor?${query}`;
}
