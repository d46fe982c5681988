import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import type { WorkflowConfig } from '../configuration.ts';
import { isSent } from '../domain/events/selection.ts';

interface EventSenderDependencies {
  readonly events: EventPublisher;
  readonly config: WorkflowConfig;
}

/** Sends the events that `svc.workflow.events` chooses. */
export class EventSender {
  readonly #events: EventPublisher;
  readonly #patterns: readonly string[];

  constructor({ events, config }: EventSenderDependencies) {
    this.#events = events;
    this.#patterns = config.workflow.events;
  }

  /** Publishes an event unless it is left out; part of the caller's unit of work. */
  async send(topic: string, key: string, payload: object): Promise<void> {
    if (isSent(this.#patterns, topic)) await this.#events.publish(topic, key, payload);
  }
}
