import { createHash } from 'node:crypto';

/** A free text as a part of a key, so that no text continues into the next part. */
export const keyPart = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23');

/** Most bytes of a partition key. */
const MAX_PARTITION_BYTES = 2_048;

/** A partition key of which the end gives way to its digest where a table would not take it whole. */
export function shortened(begin: string, end: string): string {
  if (Buffer.byteLength(begin + end) <= MAX_PARTITION_BYTES) return begin + end;
  return `${begin}!${createHash('sha256').update(end).digest('hex')}`;
}
