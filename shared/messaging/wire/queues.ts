import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { once } from '../../primitives/once.ts';

/** A message for a queue. */
export interface QueueMessage {
  /** Name or URL of the queue. */
  readonly queue: string;
  readonly body: string;
  /** FIFO queues only. */
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
  /** 0 to 900. */
  readonly delaySeconds?: number | undefined;
  readonly attributes?: Record<string, MessageAttributeValue> | undefined;
}

/** Message attribute of what was in the queue before: how often it came back from its dead-letter queue. */
export const RETURNED = 'svcRedrives';

/** The attributes of a message that comes back to its queue. */
export const returned = (times: number): NonNullable<QueueMessage['attributes']> => ({
  [RETURNED]: { DataType: 'Number', StringValue: String(times) },
});

/** Queues by name. */
export interface Queues {
  send(message: QueueMessage, signal?: AbortSignal): Promise<void>;
  /** Makes a received message visible again after a time. */
  postpone(queue: string, receiptHandle: string, seconds: number): Promise<void>;
}

/** Queues of this account; the client is loaded on first use. */
export function createQueues(): Queues {
  const client = once(async () => new (await import('./queue-client.ts')).QueueClient());
  const addresses = new Map<string, () => Promise<string>>();

  const addressOf = (queue: string): Promise<string> => {
    if (queue.includes('://')) return Promise.resolve(queue);
    const lookUp = addresses.get(queue) ?? once(async () => (await client()).addressOf(queue));
    addresses.set(queue, lookUp);
    return lookUp();
  };

  return {
    async send({ queue, body, groupId, deduplicationId, delaySeconds, attributes }, signal) {
      const message = {
        QueueUrl: await addressOf(queue),
        MessageBody: body,
        MessageGroupId: groupId,
        MessageDeduplicationId: deduplicationId,
        DelaySeconds: delaySeconds,
        MessageAttributes: attributes,
      };
      await (await client()).send(message, signal);
    },

    async postpone(queue, receiptHandle, seconds) {
      await (await client()).postpone(await addressOf(queue), receiptHandle, seconds);
    },
  };
}
