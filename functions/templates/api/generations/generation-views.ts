import type { Generation } from '../../domain/documents/generation.ts';
import type { EditorUrl } from '../../values/editor-links.ts';

/** What answers are made of besides the generation. */
export interface ShownGeneration {
  readonly generation: Generation;
  readonly fileUrl: string | undefined;
  readonly editorUrl: EditorUrl;
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
export const toGeneration = ({ generation, fileUrl, editorUrl }: ShownGeneration) => {
  const { output, warnings } = generation;
  const docsEditUrl = output && editUrl(generation, output.path, editorUrl);
  return {
    ...toEntry(generation),
    fileUrl: fileUrl ?? null,
    ...(output?.places && { places: output.places }),
    ...(docsEditUrl !== undefined && { docsEditUrl }),
    warnings,
  };
};

/** Opens a Word document in the editor; one that is locked for reading only. */
function editUrl(
  { id, format, fileName, templateType, editStatus }: Generation,
  fileId: string,
  editorUrl: EditorUrl,
): string | undefined {
  if (format !== 'DOCX') return undefined;
  const mode = editStatus === 'LOCKED' ? 'view' : 'edit';
  return editorUrl({ fileId, fileName, documentId: id, templateType, mode });
}
