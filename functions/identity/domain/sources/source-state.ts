/** Whether the schedule of a source is in place. */
export interface Registration {
  readonly status: 'NONE' | 'REGISTERED' | 'FAILED';
  readonly reason?: string | undefined;
  readonly at?: string | undefined;
  /** Fingerprint of what is in place. */
  readonly key?: string | undefined;
}

/** Whether the runs of a source succeed. */
export interface Health {
  readonly status: 'OK' | 'FAILING' | 'SUSPENDED';
  readonly consecutiveFailures: number;
  readonly reason?: string | undefined;
  /** When scheduled runs are tried again. */
  readonly retryAt?: string | undefined;
  readonly failingSince?: string | undefined;
}

/** What the runs of a source leave behind; kept apart from what people change. */
export interface SourceState {
  /** Grows with each change; none: nothing is stored. */
  readonly version?: number | undefined;
  readonly registration: Registration;
  readonly health: Health;
  /** Instant at the source up to which changes are known. */
  readonly watermark?: string | undefined;
  readonly lastFullAt?: string | undefined;
  readonly runningBatch?: string | undefined;
  readonly lastBatch?: string | undefined;
  /** Department of its own that the tree of the source hangs below. */
  readonly rootDepartmentId?: string | undefined;
  /** Fence of the last run that was applied: older plans are outdated. */
  readonly appliedFence?: number | undefined;
}

export const FRESH_STATE: SourceState = {
  registration: { status: 'NONE' },
  health: { status: 'OK', consecutiveFailures: 0 },
};
