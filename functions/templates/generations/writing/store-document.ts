import { createHash } from 'node:crypto';
import type { Files } from '../../../../shared/files/files.ts';
import type { WrittenDocument } from './document-writer.ts';

/** Stores a document. @returns what is known of its bytes */
export async function storeDocument(
  files: Pick<Files, 'write'>,
  path: string,
  bytes: Uint8Array,
  contentType: string,
): Promise<Pick<WrittenDocument, 'contentType' | 'sizeBytes' | 'hash'>> {
  await files.write(path, bytes, contentType);
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { contentType, sizeBytes: bytes.length, hash };
}
