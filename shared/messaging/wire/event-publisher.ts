/** Result of publishing a message. */
export interface PublishResult {
  readonly messageId: string;
  /** `SENT`: accepted by the bus, or the listeners ran; `PENDING`: sent after the commit or by the relay. */
  readonly status: 'SENT' | 'PENDING';
}

/** Publishes messages on any transport. */
export interface EventPublisher {
  /**
   * Publishes on commit of the caller's unit of work; nothing is published when that fails.
   * Outside a unit it opens its own.
   * @param key business key of the message; `null` for none.
   * @throws MessagingError `MQ_TOPIC_INVALID`, `MQ_KEY_INVALID`, `MQ_PAYLOAD_NOT_JSON`; Problem `UNIT_TOO_LARGE` (422)
   *   above 100 writes; `UNIT_ENDED` when the unit around the call has ended without waiting for it. Nothing is written then.
   */
  publish<T>(
    topic: string,
    key: string | null,
    payload: T,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PublishResult>;

  /**
   * With the broker it only writes the outbox, and the relay sends; in process the listeners are started but not
   * awaited, and their errors are only logged. Part of the caller's unit of work, as `publish` is.
   */
  asyncPublish<T>(topic: string, payload: T): Promise<void>;
}

/** A message as passed to a listener. */
export interface Message<T = unknown> {
  readonly messageId: string;
  readonly topic: string;
  readonly key: string | null;
  readonly payload: T;
  readonly headers: Readonly<Record<string, string>>;
  /** Source of the envelope: which application sent it. */
  readonly source: string;
  readonly traceId?: string | undefined;
  /** Sequence number within its key; ordered topics only. */
  readonly sequence?: number | undefined;
}
