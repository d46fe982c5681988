/** Executions of the state machine that synchronises. */
export interface Executions {
  /** Starts an execution; does nothing when there is one of that name. */
  start(name: string, input: unknown): Promise<void>;
  /** Whether an execution, by address or name, is under way; not, when there is none. */
  isRunning(execution: string): Promise<boolean>;
  /** Whether there is an execution, under way or not. */
  exists(execution: string): Promise<boolean>;
}
