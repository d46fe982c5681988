import type { Message } from './event-publisher.ts';

/**
 * A consumer group on a topic, as infrastructure and code both read it: rule, queue, dead-letter queue
 * and event source follow from this declaration.
 */
export interface ListenerDeclaration {
  readonly topic: string;
  /** Consumer group; each group gets every message once. */
  readonly group: string;
  /** Messages per invocation (1 to 10 without a window); default 10. */
  readonly batchSize?: number;
  /** Parallel invocations (2 to 1000); default: as many as the account allows. */
  readonly maxConcurrency?: number;
  /** Longest run of one batch; default: the time-out of the module's function. */
  readonly timeoutSeconds?: number;
}

/** A listener: the declaration and what it does with a message. */
export interface Listener extends ListenerDeclaration {
  /** Must be safe to repeat; a throw brings the message back later. */
  readonly handle: (message: Message) => Promise<void>;
}
