import type { EntityModel } from '../definitions/model.ts';
import type { WordsOf } from '../query/filter.ts';
import type { Position } from '../query/order.ts';
import { ID_INDEX, ID_SEPARATOR } from '../records/index-rows.ts';
import { lanesOf } from '../records/lanes.ts';
import { compareKeys } from '../values/folding.ts';
import { isEmptyRange } from './ranges.ts';
import type { Budget, KeyRange, RecordSource, StoredRow } from './source.ts';

export interface Search {
  readonly model: EntityModel;
  readonly source: RecordSource;
  readonly budget: Budget;
  readonly words: WordsOf;
}

export interface Direction {
  readonly reverse: boolean;
  readonly after?: string | undefined;
  readonly expected: number;
  /** Only these lanes; all that may have rows of the range otherwise. */
  readonly lanes?: readonly string[];
}

/** Opens a scan of an index. */
export function openWalk(
  { model, source }: Search,
  index: string,
  range: KeyRange,
  { reverse, after, expected, lanes }: Direction,
): RowWalk {
  const { shards } = model.definition.options;
  const walked = lanes ?? lanesOf(index, shards, range);
  return new RowWalk(source, { index, lanes: walked, range, reverse, after, expected });
}

/** A row with its id apart. */
export interface WalkedRow {
  readonly sk: string;
  readonly key: string;
  readonly id: string;
  readonly text?: string | false;
}

/** Range of a scan. */
export interface WalkRequest {
  readonly index: string;
  readonly lanes: readonly string[];
  readonly range: KeyRange;
  readonly reverse: boolean;
  /** Exclusive start key. */
  readonly after?: string | undefined;
  /** Rows that are probably needed. */
  readonly expected: number;
}

/** Rows of one request at most, of those that are needed for certain and of those that are guessed. */
const MAX_EXPECTED = 4_000;
const MAX_GUESSED = 1_000;

interface Lane {
  readonly name: string;
  rows: readonly StoredRow[];
  at: number;
  isEnd: boolean;
  after: string | undefined;
  /** Rows that are still expected to be needed. */
  expected: number;
  /** Rows of the request before. */
  guessed: number;
}

/** Scans an index in key order across its lanes. */
export class RowWalk {
  readonly #source: RecordSource;
  readonly #request: WalkRequest;
  readonly #lanes: Lane[];
  #range: KeyRange;

  constructor(source: RecordSource, request: WalkRequest) {
    this.#source = source;
    this.#request = request;
    this.#range = request.range;
    const { expected, lanes } = request;
    const many = lanes.length;
    const share = many === 1 ? expected : Math.min(expected, Math.ceil(expected / many) + 5);
    this.#lanes = lanes.map((name) => ({
      name,
      rows: [],
      at: 0,
      isEnd: isEmptyRange(request.range) || this.#isPast(request.after),
      after: this.#isAhead(request.after) ? undefined : request.after,
      expected: Math.max(share, 2),
      guessed: 1,
    }));
  }

  /** The next row; `undefined` at the end. */
  async next(): Promise<WalkedRow | undefined> {
    await Promise.all(this.#lanes.map((lane) => this.#fill(lane)));
    let first: Lane | undefined;
    for (const lane of this.#lanes) {
      const row = lane.rows[lane.at];
      const best = first?.rows[first.at];
      if (row && (!best || this.#isBefore(row.sk, best.sk))) first = lane;
    }
    const row = first?.rows[first.at];
    if (!first || !row) return undefined;
    first.at += 1;
    return split(this.#request.index, row);
  }

  /** Skips to a sort key. */
  seek(sk: string): void {
    const { range, reverse } = this.#request;
    this.#range = reverse ? { from: range.from, to: sk } : { from: sk, to: range.to };
    for (const lane of this.#lanes) {
      while (lane.at < lane.rows.length && this.#isBefore(lane.rows[lane.at]?.sk ?? '', sk))
        lane.at += 1;
      if (lane.at >= lane.rows.length) lane.after = undefined;
    }
  }

  async #fill(lane: Lane): Promise<void> {
    if (lane.at < lane.rows.length || lane.isEnd) return;
    if (isEmptyRange(this.#range)) {
      lane.isEnd = true;
      return;
    }
    const { index, reverse } = this.#request;
    const limit = nextLimit(lane);
    const { rows, isEnd } = await this.#source.rows({
      index,
      lane: lane.name,
      range: this.#range,
      reverse,
      after: lane.after,
      limit,
    });
    lane.rows = rows;
    lane.at = 0;
    lane.isEnd = isEnd;
    lane.after = rows.at(-1)?.sk;
  }

  /** Whether a position is before the range in the direction of the scan: DynamoDB refuses such a start key. */
  #isAhead(sk: string | undefined): boolean {
    const { range, reverse } = this.#request;
    return sk !== undefined && this.#isBefore(sk, reverse ? range.to : range.from);
  }

  /** Whether a position is beyond the range. */
  #isPast(sk: string | undefined): boolean {
    const { range, reverse } = this.#request;
    return sk !== undefined && this.#isBefore(reverse ? range.from : range.to, sk);
  }

  #isBefore(one: string, other: string): boolean {
    const difference = compareKeys(one, other);
    return this.#request.reverse ? difference > 0 : difference < 0;
  }
}

/** Reads the expected rows in as few requests as possible, then doubles the size of each request. */
function nextLimit(lane: Lane): number {
  const limit =
    lane.expected > 0
      ? Math.min(lane.expected, MAX_EXPECTED)
      : Math.min(lane.guessed * 2, MAX_GUESSED);
  lane.expected -= limit;
  lane.guessed = limit;
  return limit;
}

/** Sort key of the row at a place in the order of one field. */
export const rowAt = ({ keys, id }: Position): string => `${keys[0]}${ID_SEPARATOR}${id}`;

function split(index: string, { sk, text }: StoredRow): WalkedRow {
  const at = index === ID_INDEX ? -1 : sk.lastIndexOf(ID_SEPARATOR);
  return {
    sk,
    key: sk.slice(0, Math.max(at, 0)),
    id: sk.slice(at + 1),
    ...(text === undefined ? {} : { text }),
  };
}
