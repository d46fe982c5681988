/** Source of the current time. Injected, so that tests control it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };

/** Formats an instant for the wire and storage: ISO 8601, UTC, milliseconds. */
export function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
