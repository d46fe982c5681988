import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem, type ProblemItem } from '../../../shared/problems/problem.ts';
import type { EntityModel } from '../domain/definitions/model.ts';

/**
 * Takes out of a refusal what a caller may not know: errors about hidden fields that were not sent, or whose text names a
 * hidden field, become one error that names none.
 * @param seen fields that are seen; all when there is no list
 */
export function withoutHiddenErrors(
  error: unknown,
  model: EntityModel,
  sent: readonly string[],
  seen: ReadonlySet<string> | undefined,
): unknown {
  if (!seen || !(error instanceof Problem) || error.code !== 'VALIDATION_FAILED') return error;
  const codes = model.definition.fields.map(({ code }) => code);
  const hidden = new Set(codes.filter((code) => !seen.has(code) && !sent.includes(code)));
  const kept = error.errors.filter((item) => !names(item, hidden));
  if (kept.length === error.errors.length) return error;
  const detail = 'is refused for fields that are hidden from the caller';
  return httpProblems.validationFailed([...kept, { pointer: '', code: 'HIDDEN_FIELDS', detail }]);
}

function names(item: ProblemItem, codes: ReadonlySet<string>): boolean {
  return JSON.stringify(item)
    .split(/[^\p{L}\p{N}_-]+/u)
    .some((part) => codes.has(part));
}
