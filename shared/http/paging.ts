import * as z from 'zod';

/** Limits of a list call, from `svc.web.*`. */
export interface PageLimits {
  readonly pageSizeDefault: number;
  readonly pageSizeMax: number;
}

/** Deepest offset of a numbered page; beyond it follow `nextCursor`. */
export const MAX_PAGE_WINDOW = 10_000;

/**
 * The paging parameters that every list accepts, with the configured limits.
 * @param maxPage highest page number; higher where a list can be read from its end.
 */
export function pageQuery(
  { pageSizeDefault, pageSizeMax }: PageLimits,
  maxPage: number = MAX_PAGE_WINDOW,
) {
  return {
    page: wholeNumber(0, maxPage).optional().describe('Number of the page, from 0.'),
    size: wholeNumber(1, pageSizeMax)
      .default(pageSizeDefault)
      .meta({
        description: 'Entries on a page.',
        'x-config': { maximum: 'web.page-size-max', default: 'web.page-size-default' },
      }),
    cursor: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .describe('nextCursor of the page before; instead of page.'),
  };
}

/** Digits only: no sign, point, exponent or blank, not empty. */
function wholeNumber(min: number, max: number) {
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text),
    z
      .int({
        error: ({ code }) => (code === 'invalid_type' ? 'must be a whole number' : undefined),
      })
      .min(min)
      .max(max),
  );
}

/** Creates the cursor of the page after an entry. @param index of the entry */
export type CursorAfter = (index: number) => string;

/** Symbol key of a page's `CursorAfter`: copied with the page and never serialised. */
export const CURSOR_AFTER = Symbol('the cursor after an entry');

/** The list envelope of every list endpoint: flat, in the form that Spring clients parse. */
export interface Page<T> {
  readonly content: readonly T[];
  readonly number: number;
  readonly size: number;
  readonly numberOfElements: number;
  readonly totalElements: number | null;
  readonly totalPages: number | null;
  readonly first: boolean;
  readonly last: boolean;
  readonly empty: boolean;
  readonly nextCursor: string | null;
  /** `eq`: the total is exact; `gte`: counting stopped there; `unknown`: a count would need a scan. */
  readonly totalRelation: 'eq' | 'gte' | 'unknown';
  readonly [CURSOR_AFTER]?: CursorAfter;
}

/** How many entries a list has in all. */
export interface PageTotal {
  readonly value: number;
  /** `gte`: counting stopped there. */
  readonly relation: 'eq' | 'gte';
}

/** A page as a service read it. */
export interface PageFacts<T> {
  readonly content: readonly T[];
  readonly number: number;
  readonly size: number;
  readonly nextCursor?: string | undefined;
  readonly total?: PageTotal | undefined;
  /** For lists with large entries: creates the cursor when a page is cut. */
  readonly cursorAfter?: CursorAfter | undefined;
}

/** Builds the list envelope. */
export function toPage<T>({
  content,
  number,
  size,
  nextCursor,
  total,
  cursorAfter,
}: PageFacts<T>): Page<T> {
  return {
    content,
    number,
    size,
    numberOfElements: content.length,
    totalElements: total?.value ?? null,
    totalPages: total ? Math.ceil(total.value / size) : null,
    first: number === 0,
    last: nextCursor === undefined,
    empty: content.length === 0,
    nextCursor: nextCursor ?? null,
    totalRelation: total?.relation ?? 'unknown',
    ...(cursorAfter && { [CURSOR_AFTER]: cursorAfter }),
  };
}

/** A page with a cursor for each of its entries. */
export type CutPage<T> = Page<T> & Required<Pick<Page<T>, typeof CURSOR_AFTER>>;

/** The first entries of a page, which lead on to the others. */
export function cutPage<T, P extends CutPage<T>>(page: P, content: readonly T[]): P {
  return {
    ...page,
    content,
    numberOfElements: content.length,
    last: false,
    nextCursor: page[CURSOR_AFTER](content.length - 1),
  };
}

/** Schema of a list answer; a module may add members. */
export function pageSchema(entry: z.ZodType, name: string, more: z.core.$ZodLooseShape = {}) {
  return z
    .object({
      content: z.array(entry),
      number: z.int().min(0).describe('Number of this page, from 0.'),
      size: z.int().min(1).describe('Entries asked for.'),
      numberOfElements: z.int().min(0).describe('Entries on this page.'),
      totalElements: z
        .int()
        .min(0)
        .nullable()
        .describe('Entries in all; null when a count would need a scan.'),
      totalPages: z.int().min(0).nullable(),
      first: z.boolean(),
      last: z.boolean(),
      empty: z.boolean(),
      nextCursor: z
        .string()
        .nullable()
        .describe('Pass it as cursor to get the next page; null on the last.'),
      totalRelation: z.enum(['eq', 'gte', 'unknown']),
      ...more,
    })
    .meta({ id: name });
}
