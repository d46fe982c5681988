import { versionIs } from '../../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { type ChangeCounts, NO_CHANGES } from '../../domain/transfer/change-counts.ts';

/*
 * Access patterns
 *   lanes of a job   batch get   DYN_JOB#<id> / L#<number>
 */
const laneKey = (jobId: string, number: number): Key => ({
  pk: `DYN_JOB#${jobId}`,
  sk: `L#${number}`,
});

/** Records that are changed side by side; each lane takes those of its ids one after another. */
export const LANES = 8;
/** As long as the job. */
const KEPT_SECONDS = 7 * 24 * 3_600;

/** How far a lane is. It is stored in the transaction of each change, so no record is changed or counted twice. */
export interface Lane {
  readonly number: number;
  /** Counts its writes; 0: it has none. */
  readonly version: number;
  /** Walk over the records that it counts. */
  readonly pass: number;
  /** The last record, by id. */
  readonly last: string;
  readonly counts: ChangeCounts;
}

type LaneItem = Item & { readonly lane: Omit<Lane, 'number' | 'version'> };

/** The lanes of jobs that change many records. */
export class ChangeLanes {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  /** All lanes of a job. Those that have counted an earlier walk begin anew. */
  async load(jobId: string, pass: number): Promise<Lane[]> {
    const numbers = Array.from({ length: LANES }, (_, number) => number);
    const keys = numbers.map((number) => laneKey(jobId, number));
    const items = await this.#table.getMany<LaneItem>(keys, { consistent: true });
    return numbers.map((number): Lane => {
      const item = items.find(({ sk }) => sk === laneKey(jobId, number).sk);
      const version = Number(item?.version ?? 0);
      const fresh = { number, version, pass, last: '', counts: NO_CHANGES };
      return item?.lane.pass === pass ? { ...item.lane, number, version } : fresh;
    });
  }

  /** Stages how far a lane is. @param otherwise error when another run of the job was faster */
  stage(
    unit: UnitOfWork,
    jobId: string,
    { number, version, ...lane }: Lane,
    { nowMs, otherwise }: { readonly nowMs: number; readonly otherwise: () => Error },
  ): void {
    unit.put(
      {
        ...laneKey(jobId, number),
        type: 'DYN_JOB',
        version,
        lane,
        ttl: Math.floor(nowMs / 1_000) + KEPT_SECONDS,
      },
      { condition: versionIs(version - 1), otherwise },
    );
  }
}
