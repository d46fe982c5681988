import { Problem } from '../../../shared/problems/problem.ts';
import type { Generation } from '../domain/documents/generation.ts';

/** A rendering that fails this often will fail again. */
const MAX_FAILURES = 3;
/** An engine that is busy is asked this often. */
const MAX_BUSY = 60;
const BUSY = 503;

/** Whether what a rendering has met may pass: a busy or dead engine, a store that does not answer. */
export function mayPass(error: unknown, { attempt }: Pick<Generation, 'attempt'>): boolean {
  if (!(error instanceof Problem)) return attempt < MAX_FAILURES;
  if (error.status === BUSY) return attempt < MAX_BUSY;
  return (error.status > 500 || error.code === 'CONCURRENT_UPDATE') && attempt < MAX_FAILURES;
}
