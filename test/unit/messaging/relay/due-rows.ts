import { type OutboxRow, toRow } from '../../../../shared/messaging/outbox/outbox-row.ts';
import type { Shop } from '../a-shop.ts';

/** How due rows differ from those of orders. */
export interface DueRowOptions {
  readonly topic?: string;
  /** Default: another one for each row. */
  readonly key?: string;
  /** Sequence number of the first row; the rows belong to an ordered key then. */
  readonly sequence?: number;
  /** Due so many milliseconds ago. */
  readonly dueFor?: number;
  readonly more?: Partial<OutboxRow>;
}

/** Rows that are due, as publishers leave them that died after their commit. */
export async function dueRows(
  { context }: Shop,
  count: number,
  { topic = 'order.placed', key, sequence, dueFor = 1, more = {} }: DueRowOptions = {},
): Promise<string[]> {
  const { keys } = context.messaging.outbox;
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const id = context.ids();
    const now = context.clock.now();
    ids.push(id);
    const row = toRow(
      {
        ...{ id, messageId: id, topic, key: key ?? `A-${i}`, kind: 'sync' },
        ...{ payload: JSON.stringify({ i }), headers: {}, appCode: 'shop', traceId: 'trace-1' },
        ...{ size: 10, createdAtMs: now - 30_000, dueMs: now - dueFor },
        ...(sequence === undefined
          ? { dest: 'eventbridge' as const }
          : { dest: 'sqs' as const, sequence: sequence + i }),
      },
      keys,
    );
    await context.unitOfWork(async (unit) => unit.put({ ...row, ...more }));
  }
  return ids;
}

/** How many rows have each status. */
export const statuses = (rows: readonly OutboxRow[]) =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ status }) => status)].map(([s, all]) => [s, all.length]),
  );

/** Runs the relay again and again, with time passing, until nothing is due any more. */
export async function runUntilSettled(shop: Shop): Promise<number> {
  for (let runs = 1; runs < 50; runs += 1) {
    await shop.relay.runTask('relay');
    if (!shop.rows().some(({ gsi1pk = '' }) => gsi1pk.includes('#due#'))) return runs;
    shop.context.clock.advance(2_000);
  }
  throw new Error('Rows stay due for ever');
}
