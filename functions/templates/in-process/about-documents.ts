import type { WrittenFile } from '../../../shared/ports/documents.ts';
import type { EditedDocument } from '../../../shared/ports/templates.ts';
import type { FileSource } from '../catalog/file-versions.ts';
import { type Generation, historyOfGeneration } from '../domain/documents/generation.ts';
import { fileVersionOf } from '../domain/documents/template-file.ts';

/** Values that were locked could not be put back. */
export const takesUnread = ({ status, output }: Generation): boolean =>
  status === 'GENERATED' && output?.locksPath === undefined;

/** What an editor has to know of a generated document. */
export function aboutGeneration(generation: Generation): EditedDocument {
  const { templateId, tenant, status, output } = generation;
  return {
    ...{ templateId, tenant, isClosed: status !== 'GENERATED' },
    takesUnread: takesUnread(generation),
    newestFile: output?.path,
    history: historyOfGeneration(generation),
  };
}

/** What an editor has to know of approved content: it stays as it was approved. */
export const aboutApproved = (fileId: string): EditedDocument => ({
  ...{ isClosed: true, takesUnread: false, newestFile: fileId, history: fileId },
});

/** A restored file says which one it was. */
export function sourceOf(restoredFrom: string | undefined): FileSource {
  const version = restoredFrom === undefined ? undefined : fileVersionOf(restoredFrom);
  return version === undefined
    ? { origin: 'EDITOR' }
    : { origin: 'RESTORE', restoredFrom: version };
}

/** What was written, without other facts. */
export const writtenOf = ({ etag, versionId }: WrittenFile): WrittenFile => ({
  etag,
  ...(versionId !== undefined && { versionId }),
});
