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

/** The time of every tenant, for sweeps over what is due. */
export interface TenantTimes {
  /** The latest of all: nothing is due after it. */
  readonly latest: number;
  of(tenant: string | undefined): number;
  /** Tenants whose time goes ahead of that of the machine; `undefined` stands for no tenant. */
  readonly ahead: readonly (string | undefined)[];
}

/**
 * The clock of what a tenant sees: stamps, due dates, expiry. It is that of the machine, unless a test on the stage
 * local has advanced the time of the tenant.
 */
export interface TenantClock extends Clock {
  /** The clock of the machine, for what tenants share: caches, leases, time limits. */
  readonly machine: Clock;
  /** Runs work at the time of a tenant; work without a tenant has a time of its own. */
  at<T>(tenant: string | undefined, work: () => Promise<T>): Promise<T>;
  times(): Promise<TenantTimes>;
}

/** The clock of the machine for every tenant: it reads nothing. */
export const sameForAll = (machine: Clock): TenantClock => ({
  machine,
  now: () => machine.now(),
  at: (_tenant, work) => work(),
  times: async () => ({ latest: machine.now(), of: () => machine.now(), ahead: [] }),
});
