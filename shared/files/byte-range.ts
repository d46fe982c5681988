/** Bytes of a file, both ends included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a `Range` header over a file; at most `maxBytes` from its beginning.
 * @returns `undefined` without a bytes range (the whole file); `'unsatisfiable'` when the range covers
 *   no byte of the file. Several ranges are treated as none.
 * @see RFC 9110, section 14.1.2
 */
export function readByteRange(
  header: string | undefined,
  sizeBytes: number,
  maxBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const from = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const wanted = first === '' || last === '' ? sizeBytes - 1 : Number(last);
  const to = Math.min(wanted, sizeBytes - 1, from + maxBytes - 1);
  if (first !== '' && last !== '' && wanted < from) return undefined;
  return from > to ? 'unsatisfiable' : { from, to };
}
