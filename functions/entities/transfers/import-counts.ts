import type { Problem } from '../../../shared/problems/problem.ts';

/** One row that was not imported. */
export interface ImportError {
  readonly row: number;
  readonly field?: string;
  readonly code: string;
  readonly detail?: string;
}

/** Result of an import. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  readonly errors: readonly ImportError[];
}

const MAX_ERRORS = 100;
export const NOTHING: ImportCounts = { created: 0, updated: 0, failed: 0, errors: [] };

/** The counts of two parts of a file. */
export function add(one: ImportCounts, other: ImportCounts): ImportCounts {
  return {
    created: one.created + other.created,
    updated: one.updated + other.updated,
    failed: one.failed + other.failed,
    errors: [...one.errors, ...other.errors].slice(0, MAX_ERRORS),
  };
}

/** A problem as errors of a row, one for each field. */
export function toErrors(row: number, problem: Problem): ImportError[] {
  if (problem.errors.length === 0) return [{ row, code: problem.code, detail: problem.detail }];
  return problem.errors.map(({ pointer, code, detail }) => ({
    row,
    ...(pointer ? { field: pointer.slice(1) } : {}),
    code,
    detail,
  }));
}
