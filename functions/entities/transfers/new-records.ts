import type { Log } from '../../../shared/primitives/log.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { isStale } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { indexRows } from '../domain/records/index-rows.ts';
import { problems } from '../errors.ts';
import type { RecordService } from '../records/record-service.ts';
import type { RecordWriter } from '../records/record-writer.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { EarlyRows, RowJournal } from '../store/row-journal.ts';

/** Stores new records that were checked, or says what this would do. */
export interface NewRecordStore {
  /** Those of the ids that records have. */
  idsInUse(
    model: EntityModel,
    ids: readonly string[],
    principal: Principal,
  ): Promise<ReadonlySet<string>>;
  /** @param stage adds to the transaction @throws Problem when the record cannot be stored */
  store(
    model: EntityModel,
    header: RecordHeader,
    principal: Principal,
    stage: (unit: UnitOfWork) => void,
  ): Promise<unknown>;
  /**
   * Stores records in one transaction or, when one of them is refused, leaves that to `apart`.
   * @throws Problem when the definition has changed, or the table fails
   */
  storeTogether(
    model: EntityModel,
    headers: readonly RecordHeader[],
    principal: Principal,
    how: StoreTogether,
  ): Promise<void>;
}

export interface StoreTogether {
  /** Adds to the transaction. */
  readonly stage: (unit: UnitOfWork) => void;
  /** Stores as many as it can. @returns their ids */
  readonly apart: () => Promise<ReadonlySet<string>>;
}

export interface NewRecordsDependencies {
  readonly records: Pick<RecordService, 'store'>;
  readonly repository: Pick<RecordRepository, 'findHeaders'>;
  readonly journal: RowJournal;
  readonly writer: RecordWriter;
  readonly unitOfWork: RunUnitOfWork;
  readonly log: Log;
}

/** Stores new records, the rows of several of them before their transaction. */
export class NewRecords implements NewRecordStore {
  readonly #deps: NewRecordsDependencies;

  constructor(dependencies: NewRecordsDependencies) {
    this.#deps = dependencies;
  }

  async idsInUse({ code }: EntityModel, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for (let at = 0; at < ids.length; at += 100) {
      const found = await this.#deps.repository.findHeaders(code, ids.slice(at, at + 100), true);
      for (const id of found.keys()) used.add(id);
    }
    return used;
  }

  store(
    model: EntityModel,
    header: RecordHeader,
    principal: Principal,
    stage: (unit: UnitOfWork) => void,
  ): Promise<RecordHeader> {
    const { unitOfWork, records } = this.#deps;
    return unitOfWork(async (unit) => {
      stage(unit);
      return records.store(model, header, principal);
    });
  }

  async storeTogether(
    model: EntityModel,
    headers: readonly RecordHeader[],
    principal: Principal,
    { stage, apart }: StoreTogether,
  ): Promise<void> {
    const { code, definition } = model;
    const rows = headers.flatMap((header) =>
      indexRows(model, header).map((row) => ({ row, id: header.id })),
    );
    const early = await this.#deps.journal.write(code, definition.options.shards, rows);
    try {
      await this.#commit(model, headers, principal, (unit) => {
        early.commitWith(unit);
        stage(unit);
      });
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const stored = isStale(error) ? new Set<string>() : await apart();
      await this.#takeBack(early, stored);
      if (isStale(error)) throw error;
    }
  }

  /** Nobody reads rows of records that are not stored: what cannot be taken back now, the sweep takes. */
  async #takeBack(early: EarlyRows, stored: ReadonlySet<string>): Promise<void> {
    try {
      await early.takeBack(({ id }) => !stored.has(id));
    } catch (cause) {
      this.#deps.log.warn('Rows of records that were refused are left to the sweep', { cause });
    }
  }

  #commit(
    model: EntityModel,
    headers: readonly RecordHeader[],
    principal: Principal,
    stage: (unit: UnitOfWork) => void,
  ): Promise<void> {
    const { unitOfWork, writer } = this.#deps;
    return unitOfWork(async (unit) => {
      stage(unit);
      for (const after of headers) {
        await writer.stage(unit, model, {
          action: 'CREATED',
          before: undefined,
          after,
          principal,
          otherwise: () => problems.recordExists({ id: after.id }),
          rowsAreWritten: true,
        });
      }
    });
  }
}
