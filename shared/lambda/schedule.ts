/** A task that a function runs again and again, as infrastructure and code both read it. */
export interface ScheduleDeclaration {
  /** Name of the task; it must be safe to run twice. */
  readonly task: string;
  /** `rate(...)` or `cron(...)` as EventBridge reads them, in UTC. */
  readonly expression: string;
}
