import type { SQSRecord } from 'aws-lambda';
import { createRelayModule } from '../../../../functions/messaging/module.ts';
import { handleQueueBatch } from '../../../../shared/lambda/queue-batch.ts';
import type { MessageEnvelope } from '../../../../shared/messaging/wire/envelope.ts';
import { aContext } from '../../../helpers/world/a-context.ts';
import type { Shop } from '../a-shop.ts';

/** What a queue says of a delivery. */
export interface DeliveryFacts {
  readonly group?: string;
  readonly receives?: number;
  /** When the message was put into the queue (epoch ms). */
  readonly queuedAt?: number;
  /** How often it came back from its dead-letter queue; default: never. */
  readonly returns?: number;
}

function aRecord(
  shop: Shop,
  message: MessageEnvelope | string,
  {
    group = 'billing',
    receives = 1,
    queuedAt = shop.context.clock.now(),
    returns,
    isDead = false,
  }: DeliveryFacts & { isDead?: boolean },
): SQSRecord {
  const count = { dataType: 'Number', stringValue: String(returns) };
  return {
    messageId: 'queue-0',
    receiptHandle: 'receipt-0',
    eventSourceARN: `arn:aws:sqs:eu-west-1:000000000000:svc--${group}${isDead ? '-dead' : ''}`,
    body: typeof message === 'string' ? message : JSON.stringify({ detail: message }),
    attributes: { ApproximateReceiveCount: String(receives), SentTimestamp: String(queuedAt) },
    messageAttributes: returns === undefined ? {} : { svcRedrives: count },
  } as unknown as SQSRecord;
}

/** Delivers a message as the queue of a group. @returns whether it comes back. */
export async function deliver(
  shop: Shop,
  message: MessageEnvelope | string,
  facts: DeliveryFacts = {},
): Promise<boolean> {
  const { messaging, clock, log } = shop.context;
  const record = aRecord(shop, message, facts);
  const answer = await handleQueueBatch([record], messaging.listeners, {
    ...messaging,
    clock,
    log,
  });
  return answer.batchItemFailures.length > 0;
}

/** Delivers a message until its group has done with it. @returns how often. */
export async function deliverAll(
  shop: Shop,
  message: MessageEnvelope | string,
  facts: DeliveryFacts = {},
): Promise<number> {
  for (let receives = 1; receives <= 20; receives += 1) {
    if (!(await deliver(shop, message, { ...facts, receives }))) return receives;
    shop.context.clock.advance(60_000);
  }
  throw new Error('The message comes back for ever');
}

/** Hands a message of a dead-letter queue to the relay. @returns whether it stays there. */
export async function drain(
  shop: Shop,
  message: MessageEnvelope | string,
  facts: DeliveryFacts = {},
): Promise<boolean> {
  const { host, environment } = shop.context;
  const context = aContext({ besides: shop.context, host, topology: environment.messaging });
  const { onQueue } = createRelayModule({ ...context, host });
  const answer = await onQueue?.([aRecord(shop, message, { receives: 1, ...facts, isDead: true })]);
  return (answer?.batchItemFailures ?? []).length > 0;
}
