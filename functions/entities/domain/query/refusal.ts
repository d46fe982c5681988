import { httpProblems } from '../../../../shared/problems/http-problems.ts';

/** The problem `INVALID_PARAMETER` (400) about one parameter of a call. */
export const invalid = (parameter: string, code: string, detail: string): Error =>
  httpProblems.invalidParameter([{ parameter, code, detail }]);
