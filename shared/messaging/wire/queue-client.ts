import {
  ChangeMessageVisibilityCommand,
  GetQueueUrlCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { sendLimits } from '../../primitives/request-limits.ts';

/** Queues by URL; a separate file, so that the client is loaded on first use. */
export class QueueClient {
  // The URL only names the queue; requests go to the configured endpoint.
  readonly #client = new SQSClient({
    useQueueUrlAsEndpoint: false,
    ...sendLimits,
  });

  async addressOf(name: string): Promise<string> {
    const { QueueUrl = '' } = await this.#client.send(new GetQueueUrlCommand({ QueueName: name }));
    return QueueUrl;
  }

  async send(message: SendMessageCommandInput, abortSignal?: AbortSignal): Promise<void> {
    await this.#client.send(new SendMessageCommand(message), abortSignal ? { abortSignal } : {});
  }

  async postpone(address: string, receiptHandle: string, seconds: number): Promise<void> {
    await this.#client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: address,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    );
  }
}
