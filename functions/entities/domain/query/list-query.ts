import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { problems } from '../../errors.ts';
import type { EntityModel } from '../definitions/model.ts';
import { allOf, type Filter } from './filter.ts';
import { type Position, parseOrder, type SortKey } from './order.ts';
import {
  type FilterContext,
  parseFilterText,
  parseParameters,
  parseWords,
} from './parse-filter.ts';
import { invalid } from './refusal.ts';

/** Parameters that are not filters. */
const LIST_PARAMETERS = [
  'page',
  'size',
  'cursor',
  'sort',
  'q',
  'filter',
  'fields',
  'expand',
  'count',
  'deleted',
  'consistent',
  'explain',
] as const;

type Texts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A parsed list query. */
export interface ListQuery {
  readonly filter: Filter;
  readonly order: readonly SortKey[];
}

/**
 * Reads the filter of a call: `field=value`, `field[op]=value`, `filter={json}` and `q`.
 * @param own parameters of the call that are not filters.
 * @throws Problem `INVALID_PARAMETER` (400)
 */
export function readFilter(
  parameters: Texts,
  model: EntityModel,
  own: readonly string[],
  context: FilterContext = {},
): Filter {
  const fields = Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      own.includes(name) || value === undefined ? [] : [[name, value]],
    ),
  );
  const text = single('filter', parameters.filter);
  const words = single('q', parameters.q);
  return allOf([
    parseParameters(fields, model, context),
    ...(text === undefined ? [] : [parseFilterText(text, model, context)]),
    ...(words === undefined ? [] : [parseWords(words, model)]),
  ]);
}

/** Reads filter and order of a list call. @throws Problem `INVALID_PARAMETER` (400) */
export function readListQuery(
  parameters: Texts,
  model: EntityModel,
  context: FilterContext,
): ListQuery {
  return {
    filter: readFilter(parameters, model, LIST_PARAMETERS, context),
    order: parseOrder(parameters.sort, model),
  };
}

/** Names in a parameter such as `fields=a,b`; `undefined` when it is not given. */
export function readNames(
  parameter: string,
  given: string | readonly string[] | undefined,
  isKnown: (name: string) => boolean,
): string[] | undefined {
  if (given === undefined) return undefined;
  const names = namesIn(given);
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined) return names;
  const detail = `names the unknown field ${unknown.slice(0, 80)}`;
  throw invalid(parameter, 'UNKNOWN_FIELD', detail);
}

/** The names of a parameter that may be repeated, or list several. */
export const namesIn = (given: string | readonly string[] = []): string[] =>
  [given]
    .flat()
    .flatMap((text) => text.split(','))
    .filter(Boolean);

function single(
  parameter: string,
  given: string | readonly string[] | undefined,
): string | undefined {
  if (given === undefined || typeof given === 'string') return given;
  throw invalid(parameter, 'DUPLICATE', 'is given more than once');
}

/** Sort keys are cut to less than this: DynamoDB refuses longer keys. */
const MAX_CURSOR_KEY_BYTES = 300;

const wellFormed = (maxBytes: number) =>
  z.string().refine((text) => text.isWellFormed() && Buffer.byteLength(text) <= maxBytes);

const cursorSchema = lazy(() =>
  z.strictObject({
    /** Number of the page that it fetches. */
    n: z.int().min(0).max(1_000_000_000),
    /** Fingerprint of the query it belongs to. */
    q: z.string(),
    /** Keys and id of the last record before it. */
    k: z.array(wellFormed(MAX_CURSOR_KEY_BYTES)).max(5),
    i: wellFormed(64),
    /** Records still to be skipped. */
    s: z.int().min(0).max(10_000).optional(),
    /** Whether the page ends at the position instead of starting there. */
    b: z.literal(1).optional(),
    /** Which following of the list it belongs to, where something is known of that. */
    w: z.string().max(16).optional(),
  }),
);

/** Start of a page; its end when it is read backward. */
export interface PageStart {
  readonly page: number;
  readonly position: Position;
  readonly skip: number;
  readonly isBackward: boolean;
  /** Whether the position is that of a record that no page shows. */
  readonly isUnshown?: boolean | undefined;
  /** The following of the list that it belongs to. */
  readonly walk?: string | undefined;
}

/** Encodes the position of a page into a cursor for the same query. */
export function encodePageStart(
  { page, position, skip, isBackward, walk }: PageStart,
  identity: unknown,
): string {
  const cursor = {
    n: page,
    q: fingerprint(identity),
    k: position.keys,
    i: position.id,
    ...(skip > 0 ? { s: skip } : {}),
    ...(isBackward ? { b: 1 } : {}),
    ...(walk === undefined ? {} : { w: walk }),
  };
  const text = Buffer.from(JSON.stringify(cursor));
  return (text.length > MAX_PLAIN_BYTES ? shortened(text) : text).toString('base64url');
}

/** A parameter takes 2 048 characters, and sealing adds some. */
const MAX_PLAIN_BYTES = 1_450;
const MAX_LONG_BYTES = 8_192;
const SHORTENED = Buffer.from([0]);

const shortened = (text: Buffer): Buffer => Buffer.concat([SHORTENED, deflateRawSync(text)]);

function textOf(cursor: Buffer): string {
  if (cursor[0] !== SHORTENED[0]) return cursor.toString();
  try {
    return inflateRawSync(cursor.subarray(1), { maxOutputLength: MAX_LONG_BYTES }).toString();
  } catch {
    return '';
  }
}

/**
 * Decodes a cursor. It contains only a position, so a forged one reveals nothing beyond its query.
 * @throws Problem `INVALID_CURSOR` (400)
 */
export function decodePageStart(
  text: string,
  identity: unknown,
  order: readonly SortKey[],
): PageStart {
  const parsed = cursorSchema().safeParse(parseJson(textOf(Buffer.from(text, 'base64url'))));
  if (!parsed.success) throw problems.invalidCursor({ detail: 'is not a cursor of this list' });
  const { n, q, k, i, s = 0, b, w } = parsed.data;
  if (q !== fingerprint(identity))
    throw problems.invalidCursor({ detail: 'belongs to another query' });
  const expected = order.filter(({ field }) => field !== 'id' && field !== 'createdAt').length;
  if (k.length !== expected || i === '') {
    throw problems.invalidCursor({ detail: 'is not a cursor of this list' });
  }
  return { page: n, position: { keys: k, id: i }, skip: s, isBackward: b === 1, walk: w };
}

function fingerprint(identity: unknown): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 12);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
