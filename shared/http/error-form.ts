import type * as z from 'zod';
import type { Problem, ProblemType } from '../problems/problem.ts';
import type { Reply } from './reply.ts';

/**
 * How a route reports problems whose callers expect another form than problem documents. It applies to every
 * problem of the route, those of the pipeline included: no JSON, too large, not authenticated, internal error.
 */
export interface ErrorForm {
  /** `application/json` when left out. */
  readonly contentType?: string;
  /** Schema of the body, for the API description. */
  readonly schema: z.ZodType;
  /** The status of a problem; its own when left out. */
  readonly statusOf?: (problem: Pick<ProblemType, 'code' | 'status'>) => number;
  readonly bodyOf: (problem: Problem) => unknown;
}

const JSON_TYPE = 'application/json';

export const contentTypeOf = ({ contentType = JSON_TYPE }: ErrorForm): string => contentType;

export const statusOf = (form: ErrorForm, problem: Pick<ProblemType, 'code' | 'status'>): number =>
  form.statusOf?.(problem) ?? problem.status;

/** The answer to a problem in a route's own form; headers such as `Retry-After` stay. */
export function formReply(form: ErrorForm, problem: Problem): Reply {
  return {
    status: statusOf(form, problem),
    headers: { ...problem.headers, 'content-type': contentTypeOf(form) },
    body: form.bodyOf(problem),
  };
}
