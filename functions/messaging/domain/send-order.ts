import type { DueRef } from '../../../shared/messaging/outbox/outbox-row.ts';

/** Due rows grouped by ordering. */
export interface SendOrder {
  /** Unordered rows. */
  readonly free: readonly DueRef[];
  /** Rows of each ordered key in order: each one must be sent before the next. */
  readonly chains: readonly (readonly DueRef[])[];
}

/** Groups due rows by ordering. */
export function planSendOrder(refs: readonly DueRef[]): SendOrder {
  const byKey = Map.groupBy(refs, ({ summary }) => summary?.orderedKey);
  const free = byKey.get(undefined) ?? [];
  byKey.delete(undefined);
  const chains = [...byKey.values()].map((chain) =>
    chain.toSorted((a, b) => (a.summary.sequence ?? 0) - (b.summary.sequence ?? 0)),
  );
  return { free, chains };
}

/** The shards in ring order from a random start, so that concurrent relays rarely collide. */
export function shardOrder(shards: number, random: number): readonly number[] {
  const start = Math.floor(random * shards);
  return Array.from({ length: shards }, (_, index) => (start + index) % shards);
}
