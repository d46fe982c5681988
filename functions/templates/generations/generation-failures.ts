import { Problem } from '../../../shared/problems/problem.ts';
import type { GenerationFailure } from '../domain/documents/generation.ts';

/** Why a generation has ended whose function is gone. */
export const INTERRUPTED: GenerationFailure = {
  code: 'GENERATION_INTERRUPTED',
  detail: 'The function that generated the document has ended before it.',
};

/** What is kept of an error that has stopped a generation. */
export const failureOf = (error: unknown): GenerationFailure =>
  error instanceof Problem
    ? { code: error.code, detail: error.detail }
    : { code: 'INTERNAL_ERROR', detail: 'The document could not be generated.' };
