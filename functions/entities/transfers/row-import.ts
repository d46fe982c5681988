import type { Log } from '../../../shared/primitives/log.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { ImportCounts } from '../domain/transfer/import-counts.ts';
import type { RecordService } from '../records/record-service.ts';
import { Overlay } from '../rehearsals/overlay.ts';
import { Rehearsal, type RehearsalDependencies } from '../rehearsals/rehearsal.ts';
import type { BulkCreation } from './bulk-creation.ts';
import { type BulkResult, failedResult, isOutage } from './bulk-result.ts';
import type { TransferFormat } from './exports/export-file.ts';
import type { ImportRow } from './import-rows.ts';
import { blocksOf } from './row-blocks.ts';
import type { RowLedger } from './row-ledger.ts';
import type { FoundRecord, StoredRows } from './stored-rows.ts';

export interface ImportRequest extends RowImportRequest {
  readonly format: TransferFormat;
}

/** What an import was asked to do with its rows. */
export interface RowImportRequest {
  readonly mode: 'insert' | 'upsert';
  /** Field that an upsert finds records by. */
  readonly key: string;
  readonly dryRun: boolean;
}

export interface RowImportDependencies {
  readonly access: EntityAccess;
  readonly creation: BulkCreation;
  readonly records: Pick<RecordService, 'update'>;
  readonly catalog: EntityCatalog;
  readonly storedRows: StoredRows;
  readonly rehearsals: RehearsalDependencies;
  readonly unitOfWork: RunUnitOfWork;
  readonly log: Log;
}

export interface ImportCircumstances {
  /** Gets the results; it says which rows have one, and when no further one is begun. */
  readonly ledger: RowLedger;
  /** Whether all of it is repeated when the table fails. */
  readonly isStep?: boolean;
  /** What a dry run goes on with. */
  readonly rehearsal?: Rehearsal | undefined;
}

/** What rows are imported for, and by whom. */
interface Import {
  readonly request: RowImportRequest;
  readonly principal: Principal;
  readonly ledger: RowLedger;
  readonly isStep: boolean;
  /** What a dry run stores records in. */
  readonly rehearsal: Rehearsal | undefined;
  readonly creation: BulkCreation;
}

/** Conflicts about a record are tried again for so long. */
const PATIENCE_MS = 5_000;

/** Imports rows of a file as records. */
export class RowImport {
  readonly #deps: RowImportDependencies;

  constructor(dependencies: RowImportDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Imports the rows that have no result yet, each behind those that it refers to, until it is late.
   * @returns what the ledger has counted
   * @throws what fails by no fault of the rows: of a step always, of a call only while no row has a result
   */
  async import(
    model: EntityModel,
    rows: readonly ImportRow[],
    request: RowImportRequest,
    principal: Principal,
    { ledger, isStep = false, rehearsal = this.#rehearsalOf(request) }: ImportCircumstances,
  ): Promise<ImportCounts> {
    const creation = rehearsal ? this.#deps.creation.within(rehearsal) : this.#deps.creation;
    const call = { request, principal, ledger, isStep, rehearsal, creation };
    try {
      for (const block of blocksOf(model, rows, request)) {
        const left = block.filter(({ row }) => !ledger.has(row));
        if (ledger.isLate()) break;
        if (left.length > 0) await this.#importBlock(model, left, call);
      }
    } catch (error) {
      if (isStep || rehearsal || !ledger.isBegun || !isOutage(error)) throw error;
      // Nobody repeats the call: it says of the rows that are left that they were not imported.
      const left = rows.filter(({ row }) => !ledger.has(row));
      ledger.add(left.map(({ row }) => failedResult(row, error, this.#deps.log)));
    }
    const isExact = rehearsal?.overlay.isExact ?? true;
    return { ...ledger.notes.counts, ...(!isExact && { exact: false }) };
  }

  #rehearsalOf({ dryRun, mode }: RowImportRequest): Rehearsal | undefined {
    if (!dryRun) return undefined;
    return new Rehearsal(this.#deps.rehearsals, new Overlay(mode === 'upsert'));
  }

  async #importBlock(model: EntityModel, rows: readonly ImportRow[], call: Import): Promise<void> {
    const { principal, ledger, isStep, rehearsal, creation } = call;
    const known = await this.#known(model, rows, call);
    const creates = rows
      .filter(({ row }) => !known.has(row))
      .map(({ row, body }) => ({ index: row, body }));
    if (creates.length > 0) {
      const of = isStep ? ledger : undefined;
      const created = await creation.createMany(model, creates, principal, of);
      const broken = rehearsal && created.find(({ status }) => status >= 500);
      if (broken?.error) throw broken.error;
      if (!of) ledger.add(created);
    }
    for (const row of rows) {
      const found = known.get(row.row);
      if (found && !ledger.isLate()) ledger.add([await this.#update(model, row, found, call)]);
    }
  }

  async #known(
    model: EntityModel,
    rows: readonly ImportRow[],
    { request: { mode, key }, principal, rehearsal }: Import,
  ): Promise<ReadonlyMap<number, FoundRecord>> {
    if (mode !== 'upsert') return new Map();
    const { access, storedRows } = this.#deps;
    const grant = await access.check(model, principal, 'edit');
    const seen = await access.seen(model, principal, grant);
    return storedRows.known(model, rows, key, seen, rehearsal);
  }

  /** @throws what fails by no fault of the row */
  async #update(
    model: EntityModel,
    { row, body }: ImportRow,
    { id, version }: FoundRecord,
    { principal, rehearsal, ledger }: Import,
  ): Promise<BulkResult> {
    const { records, catalog, unitOfWork, log } = this.#deps;
    const result = { index: row, status: 200 };
    try {
      await catalog.withCurrent<unknown>(model, (now) =>
        rehearsal
          ? rehearsal.update(now, id, body, principal)
          : unitOfWork(async (unit) => {
              unit.retryFor(PATIENCE_MS);
              const { header } = await records.update(now, id, body, principal);
              if (header.version !== version) ledger.stage(unit, [result]);
            }),
      );
      return result;
    } catch (error) {
      if (isOutage(error)) throw error;
      return failedResult(row, error, log);
    }
  }
}
