import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { FileFacts } from '../../../shared/ports/documents.ts';
import type { BegunWrite, FileKey } from '../store/session-items.ts';

/** A key of a file without the write of a call. */
export function withoutWrite({ writes = [], ...fileKey }: FileKey, owner: string): FileKey {
  const others = writes.filter((write) => write.owner !== owner);
  return { ...fileKey, ...(others.length > 0 && { writes: others }) };
}

/**
 * The write of a session of a file that what lies there is of, although its call has not said so yet, or never will.
 * @param facts of what lies at the path, read before the key
 */
export async function ownWriteOf(
  files: Pick<Files, 'open'>,
  fileKey: FileKey | undefined,
  path: string,
  { sizeBytes, sha256 }: Pick<FileFacts, 'sizeBytes' | 'sha256'>,
): Promise<BegunWrite | undefined> {
  const candidates = (fileKey?.writes ?? []).filter(
    (write) =>
      (write.restored !== undefined || write.key === fileKey?.key) &&
      write.path === path &&
      write.sizeBytes === sizeBytes,
  );
  if (candidates.length === 0) return undefined;
  const hash = sha256 ?? (await hashFile(files, path))?.hash;
  // Of the same content the last one: those before it may have ended before they wrote.
  return candidates.findLast((write) => write.hash === hash);
}
