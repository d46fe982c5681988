import { httpProblems } from './http-problems.ts';

/** The version of something that its caller has read: in `If-Match`, in the body, or in both. */
export interface SeenVersion {
  readonly ifMatch?: string | undefined;
  readonly version?: number | undefined;
}

/** @throws Problem `VERSION_CONFLICT` (412) */
export function requireSeen(actual: number, { ifMatch, version }: SeenVersion): void {
  const expected = [ifMatch === '*' ? undefined : ifMatch, version?.toString()];
  const wrong = expected.find((seen) => seen !== undefined && seen !== String(actual));
  if (wrong !== undefined) throw httpProblems.versionConflict({ expected: wrong, actual });
}
