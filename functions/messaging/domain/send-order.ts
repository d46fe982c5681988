import type { DueRef } from '../../../shared/messaging/outbox/outbox-row.ts';

/** Due rows by what may go out together. */
export interface SendOrder {
  /** Rows without an order among each other. */
  readonly free: readonly DueRef[];
  /** Rows of one ordered key each, in their order: one must be out before the next is tried. */
  readonly chains: readonly (readonly DueRef[])[];
}

/** Sorts due rows by what may go out together. */
export function planSendOrder(refs: readonly DueRef[]): SendOrder {
  const byKey = Map.groupBy(refs, ({ summary }) => summary?.orderedKey);
  const free = byKey.get(undefined) ?? [];
  byKey.delete(undefined);
  const chains = [...byKey.values()].map((chain) =>
    chain.toSorted((a, b) => (a.summary.sequence ?? 0) - (b.summary.sequence ?? 0)),
  );
  return { free, chains };
}

/** The shards in a ring from a random one on, so that two relays seldom meet. */
export function shardOrder(shards: number, random: number): readonly number[] {
  const start = Math.floor(random * shards);
  return Array.from({ length: shards }, (_, index) => (start + index) % shards);
}
