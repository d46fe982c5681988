import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { EventRecord } from '../domain/events/event-record.ts';
import type { RunStatus, SyncHistory, SyncRecord } from '../domain/runs/history.ts';
import { problems } from '../errors.ts';
import type { EventRepository } from '../store/events/event-repository.ts';
import type {
  HistoryFilter,
  HistoryRepository,
  RecordFilter,
} from '../store/history-repository.ts';
import type { PlannedChanges, SourceSync } from '../sync/source-sync.ts';
import type { SourceService } from './source-service.ts';

/** Which runs are asked for. */
export interface HistoryQuery extends PageRequest, HistoryFilter {
  readonly identitySourceId: string;
}

/** Which records are asked for. */
export interface RecordQuery extends PageRequest, RecordFilter {
  readonly syncHistoryId: string;
}

/** Which events are asked for. */
export interface EventQuery extends PageRequest {
  readonly identitySourceId: string;
  readonly status?: EventRecord['status'] | undefined;
}

type Tenant = Pick<Principal, 'tenant'>;

interface RunReaderDependencies {
  readonly history: HistoryRepository;
  readonly eventRepository: EventRepository;
  readonly sources: Pick<SourceService, 'get'>;
  readonly sync: Pick<SourceSync, 'closeDead' | 'planned'>;
}

/** A run as its page shows it. */
export interface RunDetails {
  readonly batch: string;
  readonly identitySourceId: string;
  readonly status: RunStatus;
  readonly phase: 'READING' | 'APPLYING' | 'WAITING' | 'ENDED';
  readonly reasonCode: string | null;
  readonly desc: string | null;
  readonly histories: readonly SyncHistory[];
  readonly planned: PlannedChanges | null;
}

function phaseOf(status: RunStatus, hasPlan: boolean): RunDetails['phase'] {
  if (status === 'PENDING') return hasPlan ? 'APPLYING' : 'READING';
  return status === 'SUSPENDED' || status === 'PREVIEW' ? 'WAITING' : 'ENDED';
}

/** Runs of the sources of the caller's tenant. */
export class RunReader {
  readonly #deps: RunReaderDependencies;

  constructor(dependencies: RunReaderDependencies) {
    this.#deps = dependencies;
  }

  /** Runs, the newest first. @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) */
  async histories(
    { identitySourceId, objectType, triggerType, status, ...request }: HistoryQuery,
    principal: Tenant,
  ): Promise<ReadPage<SyncHistory>> {
    const { history, sources } = this.#deps;
    const { id } = await sources.get(identitySourceId, principal);
    const filter = { objectType, triggerType, status };
    const page = await history.page(id, filter, request);
    return (await this.#closeDead(page.content)) ? history.page(id, filter, request) : page;
  }

  /** Whoever looks at a run that has died sees that. */
  async #closeDead(histories: readonly SyncHistory[]): Promise<boolean> {
    const pending = histories.filter(({ status }) => status === 'PENDING');
    const runs = new Map(pending.map(({ batch, identitySourceId }) => [batch, identitySourceId]));
    const { sync } = this.#deps;
    const closed = [...runs].map(([batch, sourceId]) => sync.closeDead(sourceId, batch));
    return (await Promise.all(closed)).includes(true);
  }

  /** A run with both its histories. @throws Problem `SYNC_RUN_NOT_FOUND` (404) */
  async run(batch: string, { tenant = '' }: Tenant): Promise<RunDetails> {
    const { history, sync } = this.#deps;
    const found = await history.ofBatch(batch);
    const histories = (await this.#closeDead(found)) ? await history.ofBatch(batch) : found;
    const [first] = histories;
    if (first?.tenant !== tenant) throw problems.runNotFound({ id: batch });
    const { identitySourceId, status, reasonCode = null, desc = null } = first;
    const planned = (await sync.planned(identitySourceId, batch)) ?? null;
    const phase = phaseOf(status, planned !== null);
    return { batch, identitySourceId, status, phase, reasonCode, desc, histories, planned };
  }

  /** Events, the newest first. @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) */
  async events(
    { identitySourceId, status, ...request }: EventQuery,
    principal: Tenant,
  ): Promise<ReadPage<EventRecord>> {
    const { eventRepository, sources } = this.#deps;
    const { id } = await sources.get(identitySourceId, principal);
    return eventRepository.page(id, status, request);
  }

  /** @throws Problem `SYNC_RUN_NOT_FOUND` (404) */
  async records(
    { syncHistoryId, objectType, actionType, status, ...request }: RecordQuery,
    principal: Tenant,
  ): Promise<ReadPage<SyncRecord>> {
    const { id } = await this.get(syncHistoryId, principal);
    return this.#deps.history.recordPage(id, { objectType, actionType, status }, request);
  }

  /** @throws Problem `SYNC_RUN_NOT_FOUND` (404) */
  async get(id: string, { tenant = '' }: Tenant): Promise<SyncHistory> {
    const run = await this.#deps.history.find(id);
    if (run?.tenant !== tenant) throw problems.runNotFound({ id });
    return run;
  }
}
