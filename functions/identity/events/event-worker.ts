import type { Log } from '../../../shared/primitives/log.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EventRecord } from '../domain/events/event-record.ts';
import type { IdentitySource } from '../domain/sources/source.ts';
import type { EventRepository } from '../store/events/event-repository.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { HintOutcome, SourceSync } from '../sync/source-sync.ts';

interface EventWorkerDependencies {
  readonly eventRepository: EventRepository;
  readonly repository: Pick<SourceRepository, 'find'>;
  readonly sync: Pick<SourceSync, 'applyOne' | 'runForEvents'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly log: Log;
}

const MAX_ATTEMPTS = 5;
/** More waiting events of a source than this are covered by one run. */
const MANY = 50;
const SWEPT_AT_ONCE = 200;

/** Applies events: each is a hint to look at one object of the source again. */
export class EventWorker {
  readonly #deps: EventWorkerDependencies;

  constructor(dependencies: EventWorkerDependencies) {
    this.#deps = dependencies;
  }

  /** Applies one event, unless that was done. */
  async apply(sourceId: string, eventKey: string): Promise<void> {
    const event = await this.#deps.eventRepository.find(sourceId, eventKey);
    if (event?.status === 'PENDING') await this.#applyTo(await this.#sourceOf(event), event);
  }

  /** Applies what waits: events whose message was lost, that met a run or that failed. @returns how many it looked at */
  async sweep(): Promise<number> {
    const waiting = await this.#deps.eventRepository.pending(SWEPT_AT_ONCE);
    for (const [, events] of Map.groupBy(waiting, (event) => event.identitySourceId)) {
      const [first] = events;
      const source = first && (await this.#sourceOf(first));
      if (source && events.length > MANY) await this.#coalesce(source, events);
      else for (const event of events) await this.#applyTo(source, event);
    }
    return waiting.length;
  }

  async #sourceOf({ identitySourceId }: EventRecord): Promise<IdentitySource | undefined> {
    const source = await this.#deps.repository.find(identitySourceId);
    return source?.enabled ? source : undefined;
  }

  async #coalesce(source: IdentitySource, events: readonly EventRecord[]): Promise<void> {
    try {
      await this.#deps.sync.runForEvents(source, 'INCREMENTAL');
    } catch (cause) {
      this.#deps.log.warn('A run for many events could not be started', { cause });
      return;
    }
    for (const event of events) {
      await this.#settle(event, { status: 'SUCCESS', desc: 'Covered by a run.' });
    }
  }

  async #applyTo(source: IdentitySource | undefined, event: EventRecord): Promise<void> {
    if (!source) return this.#settle(event, { status: 'SKIP', desc: 'The source is disabled.' });
    if (!event.actionType)
      return this.#settle(event, { status: 'SKIP', desc: 'It changes nothing.' });
    const { objectType, externalId } = event;
    const outcome = await this.#deps.sync
      .applyOne(source, { objectType, externalId })
      .catch((cause: unknown): HintOutcome => {
        this.#deps.log.warn('An event could not be applied', { cause });
        return { status: 'FAIL', desc: 'The source could not be asked.' };
      });
    return this.#settle(event, outcome.needsRun ? await this.#followed(source, outcome) : outcome);
  }

  /** What one object cannot tell a run of everything does, under its guard. */
  async #followed(source: IdentitySource, outcome: HintOutcome): Promise<HintOutcome> {
    try {
      await this.#deps.sync.runForEvents(source, 'FULL');
      return { ...outcome, status: 'SUCCESS', desc: 'A run was started.' };
    } catch (cause) {
      this.#deps.log.warn('A run for an event could not be started', { cause });
      return { ...outcome, status: 'BUSY' };
    }
  }

  /** Notes what became of an event; a failed one is tried again by the sweep. */
  async #settle(event: EventRecord, outcome: HintOutcome): Promise<void> {
    if (outcome.status === 'BUSY') return;
    const { eventRepository, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const stored = await eventRepository.find(event.identitySourceId, event.eventKey);
      if (stored?.status !== 'PENDING') return;
      const attempts = stored.attempts + 1;
      const isOver = outcome.status !== 'FAIL' || attempts >= MAX_ATTEMPTS;
      const { objectId = stored.objectId, objectName = stored.objectName, desc } = outcome;
      eventRepository.stage(unit, {
        ...{ ...stored, objectId, objectName, desc, attempts, version: stored.version + 1 },
        status: isOver && outcome.status !== 'BUSY' ? outcome.status : 'PENDING',
      });
    });
  }
}
