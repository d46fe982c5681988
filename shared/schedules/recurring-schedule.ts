/** A schedule that fires again and again. */
export interface RecurringSchedule {
  /** Up to 64 letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  readonly expression: string;
  readonly timezone: string;
  /** When it begins (epoch ms). */
  readonly from?: number | undefined;
  /** Minutes by which a call may come later. */
  readonly jitterMinutes?: number | undefined;
  readonly input: unknown;
}

/** Schedules of a module that fire again and again (EventBridge Scheduler). */
export interface RecurringSchedules {
  /** Makes a schedule, or replaces the one of its name. */
  put(schedule: RecurringSchedule): Promise<void>;
  /** Does nothing when there is none of that name. */
  delete(name: string): Promise<void>;
}
