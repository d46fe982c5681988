import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../../shared/primitives/ids.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import {
  NO_COUNTS,
  type ObjectType,
  type SyncHistory,
  type SyncMode,
  type TriggerType,
} from '../../domain/runs/history.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { HistoryRepository } from '../../store/history-repository.ts';
import type { StartedRun } from '../source-sync.ts';

interface HistoriesDependencies {
  readonly history: HistoryRepository;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** How a run begins. */
export interface NewRun {
  readonly source: Pick<IdentitySource, 'id' | 'tenant'>;
  readonly triggerType: TriggerType;
  readonly syncMode: SyncMode;
  readonly isOfSome?: boolean | undefined;
  readonly requestedBy?: string | undefined;
  readonly executionArn?: string | undefined;
}

/** Both histories of a run, which share its batch. */
export class Histories {
  readonly #deps: HistoriesDependencies;

  constructor(dependencies: HistoriesDependencies) {
    this.#deps = dependencies;
  }

  /** Stages the histories of a run that begins. */
  stageNew(
    unit: UnitOfWork,
    { source, ...facts }: NewRun,
    end: Partial<SyncHistory> = {},
  ): StartedRun {
    const { history, ids, clock } = this.#deps;
    const batch = ids();
    const rows = (['ORGANIZATION', 'USER'] as const).map((objectType: ObjectType) => ({
      ...{ id: ids(), batch, objectType, ...facts },
      ...{ identitySourceId: source.id, tenant: source.tenant, counts: NO_COUNTS },
      ...{ startTime: toInstant(clock.now()), status: 'PENDING' as const, version: 1 },
      ...end,
    }));
    for (const row of rows) history.stageNew(unit, row);
    return idsOf(rows);
  }

  /** Changes the histories of a batch that fit. @returns them as they were */
  async stageChange(
    unit: UnitOfWork,
    batch: string,
    change: (row: SyncHistory) => Partial<SyncHistory> | undefined,
  ): Promise<readonly SyncHistory[]> {
    const rows = await this.#deps.history.ofBatch(batch);
    for (const row of rows) {
      const changes = change(row);
      if (!changes) continue;
      this.#deps.history.stage(unit, { ...row, ...changes, version: row.version + 1 });
    }
    return rows;
  }
}

/** The ids of both histories. */
export function idsOf(
  rows: readonly Pick<SyncHistory, 'id' | 'batch' | 'objectType'>[],
): StartedRun {
  const idOf = (type: ObjectType): string =>
    rows.find(({ objectType }) => objectType === type)?.id ?? '';
  return {
    batch: rows[0]?.batch ?? '',
    organizationHistoryId: idOf('ORGANIZATION'),
    userHistoryId: idOf('USER'),
  };
}
