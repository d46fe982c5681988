import type { JWTVerifyGetKey } from 'jose';
import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import type { EncryptionModule, EncryptService } from '../../../shared/ports/security.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EventRecord, SourceEvent } from '../domain/events/event-record.ts';
import type { EventSecrets, IdentitySource } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';
import type { SourceConfigs } from '../sources/source-configs.ts';
import type { EventRepository } from '../store/events/event-repository.ts';
import type { RateLimiter } from '../store/rate-limiter.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import { readSecurityEvent } from './security-event.ts';
import { EVENT_TOPIC } from './topic.ts';
import { type EventHeaders, readWebhook } from './webhook.ts';

/** An event as it came. */
export interface EventCall {
  readonly code: string;
  readonly body: Buffer;
  readonly headers: EventHeaders;
  /** Address that it was sent to. */
  readonly callbackUrl: string;
}

export interface EventServiceDependencies {
  readonly repository: SourceRepository;
  readonly configs: SourceConfigs;
  readonly eventRepository: EventRepository;
  readonly limiter: RateLimiter;
  readonly encryption: EncryptionModule | EncryptService;
  readonly events: EventPublisher;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The keys behind an address. */
  readonly keysOf: (jwksUri: string, issuer: string) => JWTVerifyGetKey;
}

const PER_MINUTE = 60;

/** Takes events of sources: nothing is acknowledged before it is stored. */
export class EventService {
  readonly #deps: EventServiceDependencies;

  constructor(dependencies: EventServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) also for a disabled source, `EVENT_UNAUTHENTICATED` (401),
   *   `EVENT_INVALID` (400), `TOO_MANY_REQUESTS` (429)
   */
  async receive({
    code,
    ...call
  }: EventCall): Promise<{ readonly eventId: string; readonly duplicate: boolean }> {
    const { repository, limiter } = this.#deps;
    const source = await repository.findByCode(code);
    if (!source?.enabled) throw problems.sourceNotFound({ source: code });
    const event = await this.#read(source, call);
    await limiter.take(`event#${source.id}`, PER_MINUTE);
    return this.#store(source, event, call.body);
  }

  async #read(
    source: IdentitySource,
    { body, headers, callbackUrl }: Omit<EventCall, 'code'>,
  ): Promise<SourceEvent> {
    const { configs, clock, keysOf } = this.#deps;
    const nowMs = clock.now();
    const secrets = usable(await configs.eventSecrets(source), nowMs);
    if (!/^application\/secevent\+jwt\b/i.test(headers['content-type'] ?? '')) {
      return readWebhook(body, headers, { secrets, nowMs });
    }
    const { eventIssuer: issuer, eventJwksUri } = (await configs.connection(source)) ?? {};
    return readSecurityEvent(body.toString('utf8').trim(), {
      ...{ secrets, nowMs, issuer, audience: [source.code, callbackUrl] },
      ...(eventJwksUri && { keys: keysOf(eventJwksUri, issuer ?? eventJwksUri) }),
    });
  }

  async #store(source: IdentitySource, event: SourceEvent, body: Buffer) {
    const { eventRepository, encryption, events, unitOfWork, clock, ids } = this.#deps;
    const record: EventRecord = {
      ...{ ...event, id: ids(), identitySourceId: source.id, status: 'PENDING', attempts: 0 },
      ...{ receiveTime: toInstant(clock.now()), version: 1 },
      payload: await encryption.encrypt(body.toString('utf8')),
    };
    const { id, identitySourceId: sourceId, eventKey } = record;
    return unitOfWork(async (unit) => {
      // Of two calls at once the one that comes later finds the event of the other.
      const twin = await eventRepository.find(source.id, event.eventKey);
      if (twin) return { eventId: twin.id, duplicate: true };
      eventRepository.stageNew(unit, record);
      await events.publish(EVENT_TOPIC, sourceId, { sourceId, eventKey });
      return { eventId: id, duplicate: false };
    });
  }
}

/** The secret, and the one before while it works. */
const usable = ({ current, previous }: EventSecrets, nowMs: number): readonly string[] =>
  previous && Date.parse(previous.until) > nowMs ? [current, previous.secret] : [current];
