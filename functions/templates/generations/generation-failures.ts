import { toProblem } from '../../../shared/problems/to-problem.ts';
import type { GenerationFailure } from '../domain/documents/generation.ts';

/** Why a generation has ended whose function is gone. */
export const INTERRUPTED: GenerationFailure = {
  code: 'GENERATION_INTERRUPTED',
  detail: 'The function that generated the document has ended before it.',
};

/** What is kept of an error that has stopped a generation. */
export function failureOf(error: unknown): GenerationFailure {
  const { code, status, detail } = toProblem(error);
  return status === 500
    ? { code, detail: 'The document could not be generated.' }
    : { code, detail };
}
