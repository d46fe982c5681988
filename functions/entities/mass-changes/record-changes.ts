import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { DeletionService } from '../deletions/deletion-service.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { allOf, type Filter } from '../domain/query/filter.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import {
  addChanges,
  type ChangeCounts,
  failureCount,
  NO_CHANGES,
} from '../domain/transfer/change-counts.ts';
import { shardOf } from '../domain/values/ids.ts';
import type { RecordWalk } from '../queries/record-walk.ts';
import type { RecordService } from '../records/record-service.ts';
import { type ChangeLanes, LANES, type Lane } from '../store/jobs/change-lanes.ts';
import type { StartedChange } from './change-request.ts';

export interface RecordChangesDependencies {
  readonly catalog: EntityCatalog;
  readonly records: RecordService;
  readonly deletions: Pick<DeletionService, 'delete'>;
  readonly walk: RecordWalk;
  readonly lanes: ChangeLanes;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/** What a step of a job works on. */
export interface ChangeCall {
  readonly jobId: string;
  readonly model: EntityModel;
  readonly request: StartedChange;
  readonly principal: Principal;
  readonly filter: Filter;
}

/** Failures that a lane remembers; they are part of its item. */
const LANE_FAILURES = 10;
/** Attempts for a record that others keep changing. */
const MAX_ROUNDS = 5;
/** Refusals after which the record is read and tried again: others have changed it. */
const MOVED: ReadonlySet<string> = new Set([
  'VERSION_CONFLICT',
  'CONCURRENT_UPDATE',
  'RECORD_NOT_FOUND',
]);

/** Changes records, each exactly once: the transaction of a change also stores that the lane of the record has passed it. */
export class RecordChanges {
  readonly #deps: RecordChangesDependencies;

  constructor(dependencies: RecordChangesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @param records in the order of their ids
   * @param lanes those of the job; replaced by how far they are afterwards
   * @throws Error when another run of the job has been faster
   */
  async run(call: ChangeCall, records: readonly RecordHeader[], lanes: Lane[]): Promise<void> {
    const byLane = Map.groupBy(records, ({ id }) => shardOf(id, LANES));
    await Promise.all(
      [...byLane].map(async ([number, some]) => {
        for (const record of some) {
          const lane = lanes[number];
          if (lane && lane.last < record.id) lanes[number] = await this.#one(call, record, lane);
        }
      }),
    );
  }

  async #one(call: ChangeCall, record: RecordHeader, lane: Lane): Promise<Lane> {
    let current: RecordHeader | undefined = record;
    for (let round = 1; current; round += 1) {
      const tried: Lane | Problem = await this.#tried(call, current, lane);
      if (!(tried instanceof Problem)) return tried;
      const isMoved = MOVED.has(tried.code) && round < MAX_ROUNDS;
      if (!isMoved) return this.#moved(call, lane, record.id, failureCount(record.id, tried));
      current = await this.#again(call, record.id);
    }
    return lane;
  }

  /** @returns the lane behind the record, or why that one was refused */
  async #tried(call: ChangeCall, record: RecordHeader, lane: Lane): Promise<Lane | Problem> {
    try {
      return await this.#changed(call, record, lane);
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error;
      throw error;
    }
  }

  #changed(call: ChangeCall, record: RecordHeader, lane: Lane): Promise<Lane> {
    const { catalog, unitOfWork } = this.#deps;
    return catalog.withCurrent(call.model, (model) =>
      unitOfWork(async () => {
        const isChanged = await this.#apply({ ...call, model }, record);
        const count = isChanged ? { changed: 1 } : { unchanged: 1 };
        const moved = await this.#moved(call, lane, record.id, { ...NO_CHANGES, ...count });
        faultPoint('entities.before-change');
        return moved;
      }),
    );
  }

  /** @returns whether something has changed */
  async #apply(
    { model, request: { op, data = {} }, principal }: ChangeCall,
    { id, version }: RecordHeader,
  ): Promise<boolean> {
    const { records, deletions } = this.#deps;
    const ifMatch = String(version);
    if (op === 'delete') {
      await deletions.delete(model, id, principal, { ifMatch, cascade: false });
      return true;
    }
    const { header } = await records.update(model, id, data, principal, { ifMatch });
    return header.version !== version;
  }

  /** Moves a lane behind a record, with the unit of work around if there is one. */
  #moved(
    { jobId }: ChangeCall,
    { counts, ...lane }: Lane,
    last: string,
    count: ChangeCounts,
  ): Promise<Lane> {
    const { unitOfWork, lanes, clock } = this.#deps;
    const next = {
      ...{ ...lane, last, version: lane.version + 1 },
      counts: addChanges([counts, count], LANE_FAILURES),
    };
    const otherwise = (): Error => new Error('Another run of the job has been faster');
    return unitOfWork(async (unit) => {
      lanes.stage(unit, jobId, next, { nowMs: clock.now(), otherwise });
      return next;
    });
  }

  /** The record as it is by now, if it still meets the filter. */
  async #again({ model, filter }: ChangeCall, id: string): Promise<RecordHeader | undefined> {
    const wanted = allOf([filter, parseFilterObject({ id }, model)]);
    const limits = { after: undefined, isLate: () => false };
    const walked = { model, filter: wanted, fields: [] };
    for await (const { records } of this.#deps.walk.follow(walked, limits)) {
      const [record] = records;
      if (record) return record;
    }
    return undefined;
  }
}
