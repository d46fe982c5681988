/**
 * Whether a caller has what an entity tag names already.
 * @see RFC 9110, section 13.1.2: the comparison is weak
 */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
