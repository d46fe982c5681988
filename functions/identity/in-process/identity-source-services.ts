import type { Principal } from '../../../shared/security/principal.ts';
import type { SyncHistory, SyncRecord } from '../domain/runs/history.ts';
import type { RunReader } from '../sources/run-reader.ts';
import type { SourceService } from '../sources/source-service.ts';
import type { RecordFilter } from '../store/history-repository.ts';
import type { RunRequest, SourceSync, StartedRun } from '../sync/source-sync.ts';

/** Enables and disables sources for other code of the same process. */
export interface IdentitySourceService {
  /** @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) */
  enableIdentitySource(id: string): Promise<void>;
  /** @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) */
  disableIdentitySource(id: string): Promise<void>;
}

/** Which records of a run are asked for. */
export interface IdentitySourceSyncRecordQuery extends RecordFilter {
  readonly syncHistoryId: SyncHistory['id'];
}

/** One entry of a page of records. */
export type IdentitySourceSyncRecordListResult = SyncRecord;

/** The page that is asked for. */
export interface Pageable {
  readonly size: number;
  readonly page?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Starts runs and shows what they did, for other code of the same process. */
export interface IdentitySourceSyncService {
  /** @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404), `SYNC_IN_PROGRESS`, `SOURCE_DISABLED`, `NOT_CONFIGURED` (409) */
  executeIdentitySourceSync(id: string, request?: RunRequest): Promise<StartedRun>;
  /** @throws Problem `SYNC_RUN_NOT_FOUND` (404) */
  getIdentitySourceSyncRecordList(
    query: IdentitySourceSyncRecordQuery,
    pageable: Pageable,
  ): Promise<{
    readonly content: readonly IdentitySourceSyncRecordListResult[];
    readonly number: number;
    readonly size: number;
    readonly nextCursor: string | undefined;
  }>;
}

interface InProcessDependencies {
  readonly sources: SourceService;
  readonly runs: RunReader;
  readonly sync: Pick<SourceSync, 'execute'>;
}

/** The services in the name of a caller, whose tenant they see. */
export const identitySourceServices = (
  { sources, runs, sync }: InProcessDependencies,
  principal: Principal,
): IdentitySourceService & IdentitySourceSyncService => ({
  enableIdentitySource: async (id) => {
    await sources.enable(id, principal);
  },
  disableIdentitySource: async (id) => {
    await sources.disable(id, principal);
  },
  executeIdentitySourceSync: async (id, request = {}) =>
    sync.execute(await sources.get(id, principal), request, principal),
  getIdentitySourceSyncRecordList: (query, pageable) =>
    runs.records({ ...query, ...pageable }, principal),
});
