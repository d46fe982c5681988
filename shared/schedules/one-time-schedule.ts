/** A call of a task of the module's own function at an instant. */
export interface OneTimeSchedule {
  /** Up to 64 letters, digits, `-`, `_` and `.`, the same for the same call. */
  readonly name: string;
  /** Epoch ms; whole seconds count, later ones first. */
  readonly at: number;
  readonly task: string;
  readonly input: unknown;
}

/** Schedules that fire once and go (EventBridge Scheduler): prompt, but neither exact nor certain. */
export interface OneTimeSchedules {
  /** Does nothing when there is one of that name. */
  create(schedule: OneTimeSchedule, signal: AbortSignal): Promise<void>;
  /** Does nothing when there is none of that name. */
  delete(name: string, signal: AbortSignal): Promise<void>;
}
