import type { SQSClient } from '@aws-sdk/client-sqs';

/** A message for a queue. */
export interface QueueMessage {
  /** Name of the queue, or its whole address. */
  readonly queue: string;
  readonly body: string;
  /** FIFO queues only. */
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
  /** 0 to 900. */
  readonly delaySeconds?: number | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** Queues by name. */
export interface Queues {
  send(message: QueueMessage): Promise<void>;
  /** Makes a received message visible again after a time. */
  postpone(queue: string, receiptHandle: string, seconds: number): Promise<void>;
}

/** Queues of this account; the client is loaded with the first message. */
export function createQueues(): Queues {
  let connected: Promise<{ sdk: typeof import('@aws-sdk/client-sqs'); client: SQSClient }>;
  const addresses = new Map<string, Promise<string>>();

  const connect = () => {
    connected ??= import('@aws-sdk/client-sqs').then((sdk) => ({
      sdk,
      // The address names the queue; where it lives is the endpoint's business.
      client: new sdk.SQSClient({ useQueueUrlAsEndpoint: false }),
    }));
    return connected;
  };

  const lookUp = async (name: string): Promise<string> => {
    const { sdk, client } = await connect();
    const { QueueUrl } = await client.send(new sdk.GetQueueUrlCommand({ QueueName: name }));
    return QueueUrl ?? '';
  };

  const addressOf = async (queue: string): Promise<string> => {
    if (queue.includes('://')) return queue;
    const address = addresses.get(queue) ?? lookUp(queue);
    addresses.set(queue, address);
    return address.catch((cause: unknown) => {
      addresses.delete(queue);
      throw cause;
    });
  };

  return {
    async send({ queue, body, groupId, deduplicationId, delaySeconds, attributes }) {
      const { sdk, client } = await connect();
      await client.send(
        new sdk.SendMessageCommand({
          QueueUrl: await addressOf(queue),
          MessageBody: body,
          MessageGroupId: groupId,
          MessageDeduplicationId: deduplicationId,
          DelaySeconds: delaySeconds,
          MessageAttributes: attributes as never,
        }),
      );
    },

    async postpone(queue, receiptHandle, seconds) {
      const { sdk, client } = await connect();
      await client.send(
        new sdk.ChangeMessageVisibilityCommand({
          QueueUrl: await addressOf(queue),
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    },
  };
}
