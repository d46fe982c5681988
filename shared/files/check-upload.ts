import { createHash } from 'node:crypto';
import type { UploadRequest } from '../ports/documents.ts';
import type { Files } from './files.ts';

/** Whether an upload exists and matches what its link was issued for. */
export type UploadState = 'same' | 'absent' | 'different';

/** Compares an uploaded file with its announcement; call it before using the file. */
export async function checkUpload(
  files: Files,
  path: string,
  { sizeBytes, sha256 }: Pick<UploadRequest, 'sizeBytes' | 'sha256'>,
): Promise<UploadState> {
  const facts = await files.facts(path);
  if (!facts) return 'absent';
  if (facts.sizeBytes !== sizeBytes) return 'different';
  const found = facts.sha256 ?? (await hashOf(files, path));
  if (found === undefined) return 'absent';
  return found.toLowerCase() === sha256.toLowerCase() ? 'same' : 'different';
}

/** For storages that store no checksum. */
async function hashOf(files: Files, path: string): Promise<string | undefined> {
  const file = await files.open(path);
  if (!file) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of file.bytes) hash.update(chunk);
  return hash.digest('hex');
}
