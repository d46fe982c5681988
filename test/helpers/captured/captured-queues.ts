import type { QueueMessage, Queues } from '../../../shared/messaging/wire/queues.ts';

/** Queues that keep what is sent to them. */
export interface CapturedQueues extends Queues {
  readonly messages: QueueMessage[];
  readonly postponed: { readonly queue: string; readonly seconds: number }[];
  /** Set: the next sends fail with it. */
  failure: Error | undefined;
}

/** Makes empty queues that work. */
export function capturedQueues(): CapturedQueues {
  const queues: CapturedQueues = {
    messages: [],
    postponed: [],
    failure: undefined,
    async send(message) {
      if (queues.failure) throw queues.failure;
      queues.messages.push(message);
    },
    async postpone(queue, _receiptHandle, seconds) {
      queues.postponed.push({ queue, seconds });
    },
  };
  return queues;
}
