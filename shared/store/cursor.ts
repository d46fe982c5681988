import { createHash } from 'node:crypto';
import * as z from 'zod';
import { httpProblems } from '../http/problems.ts';

const cursorSchema = z.strictObject({
  /** Number of the page the cursor leads to. */
  n: z.int().min(0),
  /** Fingerprint of the query the cursor belongs to. */
  q: z.string(),
  /** The store's own start key. */
  k: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** Where a list goes on. */
export interface CursorPosition {
  readonly page: number;
  readonly startKey: Readonly<Record<string, string | number>>;
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
 * Unpacks a cursor. Its start key is only a place inside the partition that the caller's own query names,
 * so a forged one reads nothing else.
 * @throws Problem `INVALID_PARAMETER` (400) for a text that is no cursor, or one of another query.
 */
export function decodeCursor(cursor: string, query: unknown): CursorPosition {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw invalidCursor('is not a cursor of this list');
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

function invalidCursor(detail: string): Error {
  return httpProblems.invalidParameter([{ parameter: 'cursor', code: 'INVALID_CURSOR', detail }]);
}
