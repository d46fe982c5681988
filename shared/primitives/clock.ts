/** Where every instant comes from. Injected, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };

/** An instant as it travels on the wire and lies in storage: ISO 8601, UTC, milliseconds. */
export function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
