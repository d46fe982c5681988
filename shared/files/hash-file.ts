import { createHash } from 'node:crypto';
import type { Files } from './files.ts';

/** Size and SHA-256 (in hexadecimal) of a stored file; `undefined` when there is none. */
export async function hashFile(
  files: Pick<Files, 'open'>,
  path: string,
): Promise<{ readonly sizeBytes: number; readonly hash: string } | undefined> {
  const file = await files.open(path);
  if (!file) return undefined;
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of file.bytes) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, hash: hash.digest('hex') };
}
