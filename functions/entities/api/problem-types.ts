import { catalogueOf, type ProblemType } from '../../../shared/problems/problem.ts';
import { problems } from '../errors.ts';

/** The problems of the module with these codes, for the answers of a route. */
export function named(...codes: readonly string[]): ProblemType[] {
  return (catalogueOf.get(problems) ?? []).filter(({ code }) => codes.includes(code));
}
