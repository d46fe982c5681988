import type { IdGenerator } from '../../primitives/ids.ts';
import type { Log } from '../../primitives/log.ts';
import type { EventPublisher } from '../wire/event-publisher.ts';

/** One publisher for each transport. */
export interface PublisherWays {
  /** Topics that always use the bus, whatever the transport. */
  readonly distributed: EventPublisher;
  readonly others: EventPublisher;
}

/** Chooses the transport of a message by its topic. */
export function createRoutingPublisher(
  { distributed, others }: PublisherWays,
  distributedTopics: readonly string[],
): EventPublisher {
  const wayOf = (topic: string) => (distributedTopics.includes(topic) ? distributed : others);
  return {
    publish: (topic, ...message) => wayOf(topic).publish(topic, ...message),
    asyncPublish: (topic, payload) => wayOf(topic).asyncPublish(topic, payload),
  };
}

/** Messaging is disabled: nothing is published, with a warning; some topics are delivered in process. */
export function createSwitchedOffPublisher(
  inProcess: EventPublisher,
  inProcessTopics: readonly string[],
  { ids, log }: { readonly ids: IdGenerator; readonly log: Log },
): EventPublisher {
  const drop = (topic: string) =>
    log.warn('svc.mq.enabled is false: the message is not published', { topic });
  return {
    async publish(topic, ...message) {
      if (inProcessTopics.includes(topic)) return inProcess.publish(topic, ...message);
      drop(topic);
      return { messageId: ids(), status: 'PENDING' };
    },
    async asyncPublish(topic, payload) {
      if (inProcessTopics.includes(topic)) return inProcess.asyncPublish(topic, payload);
      drop(topic);
    },
  };
}
