/** The shards in ring order from a random start, so that concurrent relays rarely collide. */
export function shardOrder(shards: number, random: number): readonly number[] {
  const start = Math.floor(random * shards);
  return Array.from({ length: shards }, (_, index) => (start + index) % shards);
}
