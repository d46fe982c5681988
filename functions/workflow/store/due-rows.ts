import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { endsWithin } from '../../../shared/primitives/request-context.ts';
import type { Key, Table } from '../../../shared/store/table.ts';

export interface DueRowsDependencies {
  readonly table: Table;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Rows of a partition whose sort keys begin with an instant. */
export interface DueRows<Row> {
  readonly partition: string;
  /** Rows until this instant are due (epoch ms). */
  readonly until: number;
  /** Most rows that one sweep is done with; default: any number. */
  readonly most?: number;
  /** @returns whether it is done with */
  readonly work: (row: Row) => Promise<boolean>;
  /** Log line of a row that fails. */
  readonly failure: string;
  /** What the line says about the row. */
  readonly about: (row: Row) => Readonly<Record<string, unknown>>;
}

const PAGE = 50;
/** How long one sweep takes up rows (ms). */
const MAX_TIME_MS = 15_000;
/** Time that is left of an invocation when a sweep takes up no more (ms). */
const RESERVE_MS = 10_000;

/**
 * Works through what is due, oldest first, as far as there is time. A row that fails is logged and holds up no other.
 * @returns how many are done with
 */
export async function sweepDueRows<Row extends Key>(
  { table, clock, log }: DueRowsDependencies,
  { partition, until, most = Number.POSITIVE_INFINITY, work, failure, about }: DueRows<Row>,
): Promise<number> {
  const end = clock.now() + MAX_TIME_MS;
  const isLate = () => clock.now() >= end || endsWithin(RESERVE_MS, clock);
  const between = { from: '0', to: toInstant(until) };
  let startKey: Readonly<Record<string, unknown>> | undefined;
  let done = 0;
  do {
    const page = await table.query<Row>({
      ...{ partition, between, limit: PAGE, startKey, consistent: true },
    });
    for (const row of page.items) {
      if (done >= most || isLate()) return done;
      try {
        if (await work(row)) done += 1;
      } catch (cause) {
        log.error(failure, { ...about(row), cause });
      }
    }
    startKey = page.lastKey;
  } while (startKey);
  return done;
}
