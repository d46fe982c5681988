import type { IdGenerator } from '../../primitives/ids.ts';
import type { Log } from '../../primitives/log.ts';
import type { EventPublisher } from '../wire/event-publisher.ts';
import { DISTRIBUTED_TOPICS } from '../wire/topology.ts';

/** One publisher for each way a message may take. */
export interface PublisherWays {
  /** Topics that go over the bus whatever the transport is. */
  readonly distributed: EventPublisher;
  readonly others: EventPublisher;
}

/** Chooses the way of a message by its topic. */
export function createRoutingPublisher({ distributed, others }: PublisherWays): EventPublisher {
  const wayOf = (topic: string) => (DISTRIBUTED_TOPICS.has(topic) ? distributed : others);
  return {
    publish: (topic, ...message) => wayOf(topic).publish(topic, ...message),
    asyncPublish: (topic, payload) => wayOf(topic).asyncPublish(topic, payload),
  };
}

/** Topics that stay inside the function when messaging is switched off, instead of being dropped. */
const IN_PROCESS_TOPICS: ReadonlySet<string> = new Set(['dynamic-entity-definition']);

/** Messaging is switched off: nothing is published, and the log says so; some topics stay in process. */
export function createSwitchedOffPublisher(
  inProcess: EventPublisher,
  { ids, log }: { readonly ids: IdGenerator; readonly log: Log },
): EventPublisher {
  const drop = (topic: string) =>
    log.warn('svc.mq.enabled is false: the message is not published', { topic });
  return {
    async publish(topic, ...message) {
      if (IN_PROCESS_TOPICS.has(topic)) return inProcess.publish(topic, ...message);
      drop(topic);
      return { messageId: ids(), status: 'PENDING' };
    },
    async asyncPublish(topic, payload) {
      if (IN_PROCESS_TOPICS.has(topic)) return inProcess.asyncPublish(topic, payload);
      drop(topic);
    },
  };
}
