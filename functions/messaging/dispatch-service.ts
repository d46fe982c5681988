import { createHash } from 'node:crypto';
import type { DispatchResult } from '../../shared/messaging/consuming/dispatcher.ts';
import { envelopeSource } from '../../shared/messaging/wire/envelope.ts';
import { keptError } from '../../shared/messaging/wire/messaging-error.ts';
import type { MessagingTopology } from '../../shared/messaging/wire/topology.ts';
import type { IdGenerator } from '../../shared/primitives/ids.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { requestContext } from '../../shared/primitives/request-context.ts';
import type { Principal } from '../../shared/security/principal.ts';
import { problems } from './errors.ts';

/** A message to dispatch, with the trace it belongs to. */
export interface DispatchedMessage {
  readonly messageId: string;
  readonly topic: string;
  readonly key: string | null;
  readonly payload: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly source: string;
  readonly traceId: string;
  readonly traceparent?: string | undefined;
}

/** Makes functions run their listeners of a topic. */
export interface ListenerFunctions {
  /** @throws Error when the function did not answer. */
  dispatch(functionName: string, message: DispatchedMessage): Promise<readonly DispatchResult[]>;
}

export interface DispatchDependencies {
  readonly listeners: MessagingTopology['listeners'];
  readonly functions: ListenerFunctions;
  readonly ids: IdGenerator;
  readonly log: Log;
  readonly appCode: string;
}

/** What a caller asks to dispatch. */
export interface DispatchRequest {
  readonly messageId?: string | undefined;
  readonly key?: string | null | undefined;
  readonly payload: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The messageId of a call that gives none but an Idempotency-Key: that of each repetition. */
export const messageIdOfCall = (
  topic: string,
  idempotencyKey: string,
  { id, issuer = '', tenant = '' }: Principal,
): string =>
  createHash('sha256')
    .update(JSON.stringify([topic, idempotencyKey, issuer, id, tenant]))
    .digest('base64url');

/** Delivers a message to the listeners of a topic in all functions and waits for them. */
export class DispatchService {
  readonly #deps: DispatchDependencies;

  constructor(dependencies: DispatchDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Each group processes a messageId once; a repeated call returns `DUPLICATE` for finished groups.
   * @throws Problem `MQ_NO_LISTENER` (404), `MQ_MESSAGE_ID_EMPTY` (422), `MQ_PAYLOAD_INVALID` (422),
   *   `MQ_LISTENER_FAILED` (500) with messageId and results
   */
  async dispatch(
    topic: string,
    { messageId = this.#deps.ids(), key = null, payload, headers = {} }: DispatchRequest,
  ): Promise<{ topic: string; messageId: string; results: readonly DispatchResult[] }> {
    const { listeners, appCode } = this.#deps;
    const groups = Object.hasOwn(listeners, topic) ? listeners[topic] : undefined;
    if (!groups) throw problems.noListener({ topic });
    const { traceId, traceparent } = requestContext();
    const message = {
      ...{ messageId, topic, key, payload, headers, traceId, traceparent },
      source: envelopeSource(appCode),
    };
    const byFunction = Map.groupBy(Object.keys(groups), (group) => groups[group] ?? '');
    const answers = await Promise.all(
      [...byFunction].map(([name, ofFunction]) => this.#ask(name, ofFunction, message)),
    );
    const results = answers.flat();
    refuseFailures(messageId, results);
    return { topic, messageId, results };
  }

  /** A function that does not answer does not hide the results of the others. */
  async #ask(
    name: string,
    groups: readonly string[],
    message: DispatchedMessage,
  ): Promise<readonly DispatchResult[]> {
    const { functions, log } = this.#deps;
    try {
      return await functions.dispatch(name, message);
    } catch (cause) {
      const { topic, messageId } = message;
      log.error('A function with listeners did not answer', {
        topic,
        messageId,
        function: name,
        cause,
      });
      return groups.map((group) => ({ group, status: 'FAILED', error: keptError(cause) }));
    }
  }
}

function refuseFailures(messageId: string, results: readonly DispatchResult[]): void {
  if (results.some(({ status }) => status === 'FAILED')) {
    throw problems.listenerFailed({ messageId, results });
  }
  const refused = results.filter(({ status }) => status === 'REFUSED');
  if (refused.length === 0) return;
  const isWithoutId = refused.some(({ error }) => error?.code.startsWith('MQ_MESSAGE_ID'));
  throw isWithoutId ? problems.messageIdEmpty(results) : problems.payloadInvalid(results);
}
