import {
  EventBridgeClient,
  type PutEventsCommandInput,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import {
  type SendMessageBatchCommandInput,
  type SendMessageBatchRequestEntry,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { clientLimits } from '../../primitives/request-limits.ts';
import type { BrokerClients } from '../consuming/listener.ts';
import { MessagingError } from '../wire/messaging-error.ts';
import type { QueueMessage } from '../wire/queues.ts';
import type { BrokerPublisher } from './broker-publisher.ts';

type Outgoing = Pick<BrokerPublisher, 'publishRaw'>;

/**
 * Clients whose sends go through the outbox (`svc.mq.broker-template-proxy-enabled`): `PutEvents`, `SendMessage` and
 * `SendMessageBatch` become rows of the caller's unit of work and return ids of the platform. Every
 * other command is passed on. Not for callers that need the real EventId or MessageId.
 * @param outgoing absent: the clients send directly.
 */
export function createBrokerClients(outgoing: Outgoing | undefined): BrokerClients {
  const eventBridge = new EventBridgeClient(clientLimits);
  const sqs = new SQSClient({ ...clientLimits, useQueueUrlAsEndpoint: false });
  if (outgoing) {
    eventBridge.middlewareStack.add(
      (next, { commandName }) =>
        async (args) =>
          commandName === 'PutEventsCommand'
            ? answer(await keepEvents(args.input as PutEventsCommandInput, outgoing))
            : next(args),
      { step: 'initialize', name: 'svcOutbox' },
    );
    sqs.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'SendMessageCommand') {
            return answer(await keepMessage(args.input as SendMessageCommandInput, outgoing));
          }
          return commandName === 'SendMessageBatchCommand'
            ? answer(await keepBatch(args.input as SendMessageBatchCommandInput, outgoing))
            : next(args);
        },
      { step: 'initialize', name: 'svcOutbox' },
    );
  }
  return { eventBridge, sqs };
}

// biome-ignore lint/suspicious/noExplicitAny: one shape of answer for commands of several types
const answer = (output: object): any => ({ response: {}, output: { ...output, $metadata: {} } });

async function keepEvents({ Entries = [] }: PutEventsCommandInput, outgoing: Outgoing) {
  const kept = await inOrder(Entries, async (entry: PutEventsRequestEntry) => ({
    EventId: await outgoing.publishRaw({
      dest: 'eventbridge',
      topic: entry.DetailType ?? 'unknown',
      request: entry,
    }),
  }));
  return { FailedEntryCount: 0, Entries: kept };
}

async function keepMessage(input: SendMessageCommandInput, outgoing: Outgoing) {
  return { MessageId: await keep(input.QueueUrl, input, outgoing) };
}

async function keepBatch(
  { QueueUrl, Entries = [] }: SendMessageBatchCommandInput,
  outgoing: Outgoing,
) {
  const kept = await inOrder(Entries, async (entry) => ({
    Id: entry.Id,
    MessageId: await keep(QueueUrl, entry, outgoing),
  }));
  return { Successful: kept, Failed: [] };
}

function keep(
  queue = '',
  message: SendMessageCommandInput | SendMessageBatchRequestEntry,
  outgoing: Outgoing,
): Promise<string> {
  const attributes = message.MessageAttributes;
  if (Object.values(attributes ?? {}).some(({ BinaryValue }) => BinaryValue !== undefined)) {
    throw new MessagingError(
      'MQ_PROXY_BINARY',
      'The outbox keeps texts: message attributes with bytes cannot go through it',
    );
  }
  const request: QueueMessage = {
    queue,
    body: message.MessageBody ?? '',
    groupId: message.MessageGroupId,
    deduplicationId: message.MessageDeduplicationId,
    delaySeconds: message.DelaySeconds,
    attributes,
  };
  return outgoing.publishRaw({
    dest: 'sqs',
    topic: queue.split('/').at(-1) || 'unknown',
    groupId: queue.endsWith('.fifo') ? message.MessageGroupId : undefined,
    request,
  });
}

async function inOrder<T, R>(list: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of list) results.push(await map(item));
  return results;
}
