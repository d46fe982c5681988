import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { requestContext } from '../lambda/request-context.ts';
import { type Clock, toInstant } from '../primitives/clock.ts';
import type { IdGenerator } from '../primitives/ids.ts';
import type { Log } from '../primitives/log.ts';
import { currentUnitOfWork } from '../store/unit-of-work.ts';
import { busSource, envelopeSource, type MessageEnvelope } from './envelope.ts';
import type { EventPublisher, PublishResult } from './event-publisher.ts';

/** What the publisher needs from outside. */
export interface BusPublisherDependencies {
  readonly client: EventBridgeClient;
  readonly busName: string;
  readonly appCode: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/**
 * Puts messages on the event bus after the commit, once: for notices whose loss does no harm. A failure is
 * logged and told in the result; it fails nothing.
 */
export function createBusPublisher(dependencies: BusPublisherDependencies): EventPublisher {
  return {
    async publish(topic, key, payload, headers) {
      const envelope = wrap({ topic, key, payload, headers }, dependencies);
      const unit = currentUnitOfWork();
      if (!unit) return { messageId: envelope.id, status: await send(envelope, dependencies) };
      unit.afterCommit(async () => void (await send(envelope, dependencies)));
      return { messageId: envelope.id, status: 'PENDING' };
    },
  };
}

async function send(
  envelope: MessageEnvelope,
  { client, busName, appCode, log }: BusPublisherDependencies,
): Promise<PublishResult['status']> {
  try {
    const { FailedEntryCount = 0, Entries = [] } = await client.send(
      new PutEventsCommand({
        Entries: [
          {
            EventBusName: busName,
            Source: busSource(appCode),
            DetailType: envelope.type,
            Detail: JSON.stringify(envelope),
          },
        ],
      }),
    );
    if (FailedEntryCount === 0) return 'SENT';
    throw new Error(`The bus refused the event: ${Entries[0]?.ErrorCode ?? 'no reason given'}`);
  } catch (cause) {
    log.error('A notice could not be put on the bus', {
      topic: envelope.type,
      messageId: envelope.id,
      cause,
    });
    return 'PENDING';
  }
}

interface Draft {
  readonly topic: string;
  readonly key: string | null;
  readonly payload: unknown;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

function wrap(
  { topic, key, payload, headers }: Draft,
  { appCode, clock, ids }: BusPublisherDependencies,
): MessageEnvelope {
  const { traceId, traceparent } = requestContext();
  return {
    specversion: '1.0',
    id: ids(),
    source: envelopeSource(appCode),
    type: topic,
    ...(key === null ? {} : { subject: key }),
    time: toInstant(clock.now()),
    datacontenttype: 'application/json',
    ...(traceparent ? { traceparent } : {}),
    traceid: traceId,
    ...(headers ? { svcheaders: headers } : {}),
    data: payload,
  };
}
