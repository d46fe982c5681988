import type { Problem } from '../../../../shared/problems/problem.ts';

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
  /** Of a dry run that has forgotten what it may have needed. */
  readonly exact?: false;
}

/** Errors that are listed: so many, of so many bytes, each with names and texts of so many characters. */
export const MAX_ERRORS = 100;
const MAX_ERROR_BYTES = 150_000;
const MAX_NAME = 200;
const MAX_DETAIL = 500;
export const NOTHING: ImportCounts = { created: 0, updated: 0, failed: 0, errors: [] };

/** The counts of two parts of a file. */
export function add(one: ImportCounts, other: ImportCounts): ImportCounts {
  return {
    created: one.created + other.created,
    updated: one.updated + other.updated,
    failed: one.failed + other.failed,
    errors: firstOf([...one.errors, ...other.errors], MAX_ERRORS, MAX_ERROR_BYTES),
  };
}

/** As many errors as the item of a job takes beside the rest. */
export function firstOf<E>(errors: readonly E[], most: number, maxBytes: number): readonly E[] {
  let bytes = 0;
  return errors.slice(0, most).filter((error) => {
    bytes += Buffer.byteLength(JSON.stringify(error));
    return bytes <= maxBytes;
  });
}

/** A problem as errors of a row, one for each field. */
export function toErrors(row: number, problem: Problem): ImportError[] {
  if (problem.errors.length === 0) {
    return [{ row, code: problem.code, detail: cut(problem.detail, MAX_DETAIL) }];
  }
  return problem.errors.map(({ pointer, code, detail }) => ({
    row,
    ...(pointer ? { field: cut(pointer.slice(1), MAX_NAME) } : {}),
    code,
    detail: cut(detail, MAX_DETAIL),
  }));
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}...` : text;
