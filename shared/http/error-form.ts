import type * as z from 'zod';
import type { Problem, ProblemType } from '../problems/problem.ts';
import type { Reply } from './reply.ts';

/**
 * Custom error format of a route whose callers do not expect problem documents. It applies to every
 * problem of the route, pipeline problems included: invalid JSON, too large, unauthenticated, internal error.
 */
export interface ErrorForm {
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Schema of the body, for the API description. */
  readonly schema: z.ZodType;
  /** Maps the status of a problem; unchanged by default. */
  readonly statusOf?: (problem: Pick<ProblemType, 'code' | 'status'>) => number;
  readonly bodyOf: (problem: Problem) => unknown;
}

const JSON_TYPE = 'application/json';

export const contentTypeOf = ({ contentType = JSON_TYPE }: ErrorForm): string => contentType;

export const statusOf = (form: ErrorForm, problem: Pick<ProblemType, 'code' | 'status'>): number =>
  form.statusOf?.(problem) ?? problem.status;

/** The reply to a problem in the route's error format; headers such as `Retry-After` are kept. */
export function formReply(form: ErrorForm, problem: Problem): Reply {
  return {
    status: statusOf(form, problem),
    headers: { ...problem.headers, 'content-type': contentTypeOf(form) },
    body: form.bodyOf(problem),
  };
}
