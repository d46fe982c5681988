import type { Host } from '../../../shared/host/host.ts';
import type { DeadLetterSummary } from '../../../shared/messaging/wire/dead-letter.ts';
import { NonRetryableError } from '../../../shared/messaging/wire/messaging-error.ts';
import {
  isBodyMissing,
  type PayloadRef,
  type PayloadStore,
} from '../../../shared/messaging/wire/payload-store.ts';
import { isPermitted } from '../../../shared/ports/permissions.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { isNestedDeeper } from '../../../shared/problems/json-levels.ts';
import { actorOf, type Principal } from '../../../shared/security/principal.ts';
import { maskRequest, maskSecrets, maskText } from '../domain/masking/mask-text.ts';
import { problems } from '../errors.ts';
import { envelopeIn, type FoundDeadLetter } from './found-dead-letter.ts';

/** What permissions for dead letters are about. */
export const DEAD_LETTER_TARGET = 'mq:dead-letter';

/** A dead letter with its message. */
export interface DeadLetterDetail extends DeadLetterSummary {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
}

export interface DeadLetterViewDependencies {
  readonly payloads: PayloadStore;
  readonly log: Log;
  readonly host: Host;
}

/** What callers see of a dead letter: its message without what is secret. */
export class DeadLetterView {
  readonly #deps: DeadLetterViewDependencies;

  constructor(dependencies: DeadLetterViewDependencies) {
    this.#deps = dependencies;
  }

  async show(found: FoundDeadLetter, principal: Principal): Promise<DeadLetterDetail> {
    const summary = found.row.summary as unknown as DeadLetterSummary;
    const envelope = envelopeIn(found);
    const { payloadRef, raw, envelope: received, payload: unreadable } = found.row;
    const headers = maskSecrets(envelope?.svcheaders ?? {}) as DeadLetterDetail['headers'];
    if (envelope) {
      const payload = payloadRef ? await this.#body(payloadRef) : envelope.data;
      return { ...summary, headers, payload: await this.#shown(payload, summary, principal) };
    }
    if (typeof raw === 'string') return { ...summary, headers, payload: maskRequest(raw) };
    const payload = await this.#shown(received ?? unreadable ?? null, summary, principal);
    return { ...summary, headers, payload };
  }

  async #shown(
    payload: unknown,
    { id }: Pick<DeadLetterSummary, 'id'>,
    principal: Principal,
  ): Promise<unknown> {
    if (typeof payload !== 'string') return maskSecrets(payload);
    const masked = maskText(payload);
    if (typeof masked === 'string') return masked;
    const { host, log } = this.#deps;
    const mayReveal = await isPermitted(
      host.permissionEvaluator,
      principal,
      DEAD_LETTER_TARGET,
      'reveal',
    );
    if (mayReveal) log.info('audit', { action: 'reveal', deadLetter: id, ...actorOf(principal) });
    return mayReveal ? payload : masked;
  }

  /**
   * The payload in the bucket; `null` when it is gone or not the one that was published.
   * @throws Problem `MQ_BODY_UNREACHABLE` (503)
   */
  async #body(ref: PayloadRef): Promise<unknown> {
    try {
      return jsonOrText(await this.#deps.payloads.load(ref));
    } catch (cause) {
      if (isBodyMissing(cause) || cause instanceof NonRetryableError) return null;
      this.#deps.log.error('The body of a dead letter cannot be reached', { cause });
      throw problems.bodyUnreachable();
    }
  }
}

/** The body of a foreign message may be no JSON, or nested deeper than what could be shown. */
function jsonOrText(body: string): unknown {
  try {
    return isNestedDeeper(body) ? body : JSON.parse(body);
  } catch {
    return body;
  }
}
