import type { IdGenerator } from '../../primitives/ids.ts';
import type { Log } from '../../primitives/log.ts';
import { currentUnitOfWork, type RunUnitOfWork } from '../../store/unit-of-work.ts';
import type { Listener } from '../consuming/listener.ts';
import { messageFor } from '../consuming/read-message.ts';
import { type ListenerTools, runListener } from '../consuming/run-listener.ts';
import { envelopeSource } from '../wire/envelope.ts';
import type { EventPublisher, Message, PublishResult } from '../wire/event-publisher.ts';
import { checkMessage } from '../wire/message-draft.ts';
import type { MessagingMetrics } from '../wire/messaging-metrics.ts';
import type { BackgroundWork } from './background-work.ts';

export interface LocalPublisherDependencies {
  /** The listeners of this function: the module's and the host's. */
  readonly listeners: () => readonly Listener[];
  readonly background: BackgroundWork;
  readonly unitOfWork: RunUnitOfWork;
  readonly tools: () => ListenerTools;
  readonly appCode: string;
  readonly ids: IdGenerator;
  readonly metrics: MessagingMetrics;
  readonly log: Log;
}

/**
 * The transport `spring`: calls the listeners in the same function, after the commit, at most once.
 * There is no outbox: a message whose listener fails is lost.
 */
export class LocalPublisher implements EventPublisher {
  readonly #deps: LocalPublisherDependencies;

  constructor(dependencies: LocalPublisherDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Runs the listeners one after the other. The failure of one is logged and counted, and rethrown when all have run:
   * outside of a unit it is thrown to the caller; after a commit it is only logged, because committed work must not look failed.
   */
  async publish<T>(
    topic: string,
    key: string | null,
    payload: T,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PublishResult> {
    const message = this.#message(topic, key, payload, headers);
    const unit = currentUnitOfWork();
    if (unit) {
      unit.afterCommit(() => this.#deliver(message));
      return { messageId: message.messageId, status: 'PENDING' };
    }
    const delivery = this.#deliver(message);
    this.#deps.background.hold(delivery);
    await delivery;
    return { messageId: message.messageId, status: 'SENT' };
  }

  async asyncPublish<T>(topic: string, payload: T): Promise<void> {
    const message = this.#message(topic, null, payload, {});
    const start = async () => this.#deps.background.start(() => this.#deliver(message));
    const unit = currentUnitOfWork();
    if (unit) unit.afterCommit(start);
    else await start();
  }

  #message(
    topic: string,
    key: string | null,
    payload: unknown,
    headers: Readonly<Record<string, string>>,
  ): Message {
    const checked = checkMessage(topic, key, payload, headers);
    return {
      messageId: this.#deps.ids(),
      topic,
      key: checked.key,
      // Serialise as the broker does: a listener never receives the publisher's own object.
      payload: JSON.parse(checked.payload) as unknown,
      headers: checked.headers,
      source: envelopeSource(this.#deps.appCode),
      traceId: checked.traceId,
    };
  }

  async #deliver(message: Message): Promise<void> {
    const failures: unknown[] = [];
    for (const listener of this.#deps.listeners()) {
      if (listener.topic !== message.topic) continue;
      await this.#hand(listener, message).catch((cause: unknown) => {
        failures.push(cause);
        const { topic, messageId } = message;
        this.#deps.metrics.delivered(topic, listener.group, ['Failed']);
        this.#deps.log.error('A listener failed', {
          topic,
          group: listener.group,
          messageId,
          cause,
        });
      });
    }
    if (failures.length > 0) throw failures[0];
  }

  async #hand(listener: Listener, message: Message): Promise<void> {
    const own = messageFor(listener, message);
    const { unitOfWork, tools } = this.#deps;
    await unitOfWork((uow) => runListener(listener, own, { uow, attempt: 1 }, tools()));
    const { topic, messageId } = own;
    this.#deps.log.info('message', { topic, group: listener.group, messageId });
  }
}
