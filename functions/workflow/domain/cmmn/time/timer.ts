/** When a timer is due, and how it continues (CMMN 1.1, 5.4). */
export interface Timer {
  readonly dueAt: string;
  /** ISO 8601 duration between two firings, or a cron expression. */
  readonly every?: string;
  /** Firings that are left after this one; absent = without end. */
  readonly remaining?: number;
  /** The last instant at which a later firing can be due. */
  readonly until?: string;
}
