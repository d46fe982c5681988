/** What became of a published message. */
export interface PublishResult {
  readonly messageId: string;
  /** `SENT`: the bus has it, or the listeners ran; `PENDING`: it goes out after the commit, or the relay sends it. */
  readonly status: 'SENT' | 'PENDING';
}

/** Publishes messages whatever the transport is. */
export interface EventPublisher {
  /**
   * Publishes with the commit of the unit of work around the caller; nothing is published when that fails.
   * Outside of a unit it is a unit of its own.
   * @param key business key of the message; `null` for none.
   * @throws MessagingError `MQ_TOPIC_INVALID`, `MQ_KEY_INVALID`, `MQ_PAYLOAD_NOT_JSON`; Problem `UNIT_TOO_LARGE` (422)
   *   above 100 writes. Nothing is written then.
   */
  publish<T>(
    topic: string,
    key: string | null,
    payload: T,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PublishResult>;

  /**
   * With the broker it only writes the outbox, and the relay sends; in process the listeners are started and not
   * waited for, and their errors are only logged. Belongs to the unit of work around the caller as `publish` does.
   */
  asyncPublish<T>(topic: string, payload: T): Promise<void>;
}

/** A message as a listener gets it. */
export interface Message<T = unknown> {
  readonly messageId: string;
  readonly topic: string;
  readonly key: string | null;
  readonly payload: T;
  readonly headers: Readonly<Record<string, string>>;
  /** Source of the envelope: which application sent it. */
  readonly source: string;
  readonly traceId?: string | undefined;
  /** Place among the messages of its key; ordered topics only. */
  readonly sequence?: number | undefined;
}
