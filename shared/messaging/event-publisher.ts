/** What became of a published message. */
export interface PublishResult {
  readonly messageId: string;
  /** `SENT`: the bus has it; `PENDING`: it will be sent, or not at all when the publisher keeps no outbox. */
  readonly status: 'SENT' | 'PENDING';
}

/** Publishes messages whatever the transport is. */
export interface EventPublisher {
  /**
   * Publishes after the commit of the unit of work around the caller; nothing is published when that fails.
   * @param key business key of the message; `null` for none.
   */
  publish<T>(
    topic: string,
    key: string | null,
    payload: T,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PublishResult>;
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
}
