/** A scheduled task, read by infrastructure and code. */
export interface ScheduleDeclaration {
  /** Name of the task, which must be idempotent. */
  readonly task: string;
  /** `rate(...)` or `cron(...)` as EventBridge reads them, in UTC. */
  readonly expression: string;
}
