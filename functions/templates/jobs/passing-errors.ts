import { Problem } from '../../../shared/problems/problem.ts';
import { toProblem } from '../../../shared/problems/to-problem.ts';
import type { Generation } from '../domain/documents/generation.ts';

/** A rendering that fails this often will fail again. */
const MAX_FAILURES = 3;
/** An engine that is busy, or a store that does not answer, is asked this often. */
const MAX_BUSY = 60;
const BUSY = 503;

/** Whether what a rendering has met may pass: a busy or dead engine, a store that does not answer. */
export function mayPass(error: unknown, { attempt }: Pick<Generation, 'attempt'>): boolean {
  const { status, code } = toProblem(error);
  if (status === BUSY) return attempt < MAX_BUSY;
  const mayBe = !(error instanceof Problem) || status > 500 || code === 'CONCURRENT_UPDATE';
  return mayBe && attempt < MAX_FAILURES;
}
