import type { SyncHistory } from '../domain/runs/history.ts';
import type { BasicConfig, IdentitySource } from '../domain/sources/source.ts';
import type { SourceState } from '../domain/sources/source-state.ts';
import type { HistoryRepository } from '../store/history-repository.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { SourceSchedule, SourceSync } from '../sync/source-sync.ts';
import type { SourceConfigs } from './source-configs.ts';

/** All that an answer shows of a source. */
export interface SourceDetails {
  readonly source: IdentitySource;
  readonly connection: BasicConfig | undefined;
  readonly state: SourceState;
  readonly schedule: SourceSchedule | undefined;
  readonly lastRuns: readonly SyncHistory[];
}

interface SourceReaderDependencies {
  readonly repository: SourceRepository;
  readonly history: HistoryRepository;
  readonly configs: SourceConfigs;
  readonly sync: Pick<SourceSync, 'schedule' | 'closeDead'>;
}

/** Reads what belongs to a source. */
export class SourceReader {
  readonly #deps: SourceReaderDependencies;

  constructor(dependencies: SourceReaderDependencies) {
    this.#deps = dependencies;
  }

  async details(source: IdentitySource): Promise<SourceDetails> {
    const { history, configs, sync } = this.#deps;
    const [connection, state] = await Promise.all([
      configs.connection(source),
      this.#state(source.id),
    ]);
    const found = sync.schedule(source.jobConfig);
    return {
      ...{ source, connection, state },
      schedule: 'schedule' in found ? found.schedule : undefined,
      lastRuns: state.lastBatch === undefined ? [] : await history.ofBatch(state.lastBatch),
    };
  }

  /** A run that has died does not go on. */
  async #state(sourceId: string): Promise<SourceState> {
    const { repository, sync } = this.#deps;
    const state = await repository.state(sourceId);
    const isClosed =
      state.runningBatch !== undefined && (await sync.closeDead(sourceId, state.runningBatch));
    return isClosed ? repository.state(sourceId) : state;
  }
}
