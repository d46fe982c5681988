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
import type { BrokerPublisher, RawRequest } from './broker-publisher.ts';

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
  const ids = await outgoing.publishRaw(Entries.map(toEvent));
  return { FailedEntryCount: 0, Entries: ids.map((EventId) => ({ EventId })) };
}

async function keepMessage(input: SendMessageCommandInput, outgoing: Outgoing) {
  const [MessageId] = await outgoing.publishRaw([toMessage(input.QueueUrl, input)]);
  return { MessageId };
}

async function keepBatch(
  { QueueUrl, Entries = [] }: SendMessageBatchCommandInput,
  outgoing: Outgoing,
) {
  const ids = await outgoing.publishRaw(Entries.map((entry) => toMessage(QueueUrl, entry)));
  return {
    Successful: Entries.map(({ Id }, index) => ({ Id, MessageId: ids[index] })),
    Failed: [],
  };
}

/** @throws MessagingError `MQ_PROXY_NO_TEXT` */
function toEvent(entry: PutEventsRequestEntry): RawRequest {
  if (entry.Detail !== undefined && typeof entry.Detail !== 'string') {
    throw new MessagingError('MQ_PROXY_NO_TEXT', 'The Detail of an event must be a JSON text');
  }
  return { dest: 'eventbridge', topic: entry.DetailType ?? 'unknown', request: entry };
}

/** @throws MessagingError `MQ_PROXY_BINARY` */
function toMessage(
  queue = '',
  message: SendMessageCommandInput | SendMessageBatchRequestEntry,
): RawRequest {
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
  return {
    dest: 'sqs',
    topic: queue.split('/').at(-1) || 'unknown',
    groupId: queue.endsWith('.fifo') ? message.MessageGroupId : undefined,
    request,
  };
}
