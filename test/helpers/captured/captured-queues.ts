import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueMessage, Queues } from '../../../shared/messaging/wire/queues.ts';
import { refusalOf } from '../service-faults/queue-faults.ts';
import { untilAborted } from '../service-faults/send.ts';

/** Queues that keep what is sent to them. */
export interface CapturedQueues extends Queues {
  readonly messages: QueueMessage[];
  readonly postponed: { readonly queue: string; readonly seconds: number }[];
  /** Set: the next sends fail with it. */
  failure: Error | undefined;
  /** Error of the sends of some messages; `undefined`: they go through. */
  refusal: (message: QueueMessage) => Error | undefined;
  /** Milliseconds that a send takes. */
  takes: (message: QueueMessage) => number;
  /** Whether sends get no answer. */
  hangs: boolean;
}

/** Makes empty queues that work. */
export function capturedQueues(): CapturedQueues {
  const queues: CapturedQueues = {
    messages: [],
    postponed: [],
    failure: undefined,
    refusal: () => undefined,
    takes: () => 0,
    hangs: false,
    async send(message, signal) {
      if (queues.hangs) return untilAborted(signal);
      const ms = queues.takes(message);
      if (ms > 0) await sleep(ms);
      const failure = queues.failure ?? queues.refusal(message) ?? refusalOf(message.body);
      if (failure) throw failure;
      queues.messages.push(message);
    },
    async postpone(queue, _receiptHandle, seconds) {
      queues.postponed.push({ queue, seconds });
    },
  };
  return queues;
}
