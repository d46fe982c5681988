/** Executions of the state machine that synchronises. */
export interface Executions {
  /** Starts an execution; does nothing when there is one of that name. */
  start(name: string, input: unknown): Promise<void>;
  /** Whether an execution is under way; not, when there is none. */
  isRunning(arn: string): Promise<boolean>;
}
