import { loginProblems } from './problems/logins.ts';
import { sourceProblems } from './problems/sources.ts';

/** The problems of the identity module. */
export const problems = { ...sourceProblems, ...loginProblems };
