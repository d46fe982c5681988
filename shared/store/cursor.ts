import { createHash } from 'node:crypto';
import * as z from 'zod';
import { lazy } from '../primitives/lazy.ts';
import { httpProblems } from '../problems/http-problems.ts';

const cursorSchema = lazy(() =>
  z.strictObject({
    /** Number of the page that the cursor fetches. */
    n: z.int().min(0),
    /** Fingerprint of the query the cursor belongs to. */
    q: z.string(),
    /** The store's own start key. */
    k: z.record(z.string(), z.string().min(1)),
  }),
);

/** Reason for refusing a cursor of another list. */
export const NOT_OF_THIS_LIST = 'is not a cursor of this list';

/** Position of the next page of a list. */
export interface CursorPosition {
  readonly page: number;
  readonly startKey: Readonly<Record<string, string>>;
}

/**
 * Packs a position into the opaque `nextCursor` of a list.
 * @param query the parameters the list was asked with: a cursor serves only the same ones.
 */
export function encodeCursor(position: CursorPosition, query: unknown): string {
  const cursor = { n: position.page, q: fingerprint(query), k: position.startKey };
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/**
 * Unpacks a cursor. The reader checks that its start key is inside the query.
 * @throws Problem `INVALID_PARAMETER` (400) for a malformed cursor, or one of another query.
 */
export function decodeCursor(cursor: string, query: unknown): CursorPosition {
  const parsed = cursorSchema().safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw invalidCursor(NOT_OF_THIS_LIST);
  if (parsed.data.q !== fingerprint(query)) throw invalidCursor('belongs to another query');
  return { page: parsed.data.n, startKey: parsed.data.k };
}

function fingerprint(query: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(query) ?? '')
    .digest('base64url')
    .slice(0, 12);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The problem of an invalid cursor. */
export function invalidCursor(detail: string): Error {
  return httpProblems.invalidParameter([{ parameter: 'cursor', code: 'INVALID_CURSOR', detail }]);
}
