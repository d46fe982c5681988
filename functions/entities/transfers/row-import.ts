import type { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { add, type ImportCounts, NOTHING, toErrors } from '../domain/transfer/import-counts.ts';
import type { RecordService } from '../records/record-service.ts';
import { Overlay } from '../rehearsals/overlay.ts';
import { Rehearsal, type RehearsalDependencies } from '../rehearsals/rehearsal.ts';
import { type BulkCreation, type BulkResult, isBroken } from './bulk-creation.ts';
import type { TransferFormat } from './exports/export-file.ts';
import type { ImportRow } from './import-rows.ts';
import { repeatedKeys, waitingForKey } from './repeated-keys.ts';
import { attempt, countUntilMissing, refused, type Waiting } from './row-results.ts';
import type { Attempt, FoundRecord, StoredRows } from './stored-rows.ts';

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
}

/** A step of a job, which ends in time. */
export interface TimedAttempt extends Attempt {
  /** Whether no further block of rows is begun. */
  readonly isLate: () => boolean;
  /** Whether no further row is begun, and none is tried again. */
  readonly isOver: () => boolean;
}

export interface ImportCircumstances {
  readonly attempt?: TimedAttempt;
  /** Whether no further block of rows is begun, where a job takes up the rest. */
  readonly isLate?: (() => boolean) | undefined;
  /** Whether no row is tried again. */
  readonly isOver?: (() => boolean) | undefined;
  /** What a dry run goes on with. */
  readonly rehearsal?: Rehearsal | undefined;
}

/** Rows between two looks at the time: new records of a block are left out when it is over, changes are not. */
const BLOCK_ROWS = { insert: 50, upsert: 10 } as const;
/** The same of a call, whose new records are those of one group. */
const BLOCK_OF_CALL = 25;

/** What rows are imported for, and by whom. */
interface Import {
  readonly request: RowImportRequest;
  readonly principal: Principal;
  readonly attempt: TimedAttempt | undefined;
  /** What a dry run stores records in. */
  readonly rehearsal: Rehearsal | undefined;
  readonly creation: BulkCreation;
}

/** Imports rows of a file as records. */
export class RowImport {
  readonly #deps: RowImportDependencies;

  constructor(dependencies: RowImportDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Imports rows, those whose references are not there yet once more after the others. In an attempt that has become
   * late the last rows are left out: at least the first one is imported, and `taken` says how many.
   */
  async import(
    model: EntityModel,
    rows: readonly ImportRow[],
    request: RowImportRequest,
    principal: Principal,
    {
      attempt,
      isLate = attempt?.isLate,
      isOver = attempt?.isOver,
      rehearsal = this.#rehearsalOf(request),
    }: ImportCircumstances = {},
  ): Promise<{ readonly counts: ImportCounts; readonly taken: number }> {
    const ofCall = isLate ? BLOCK_OF_CALL : Math.max(rows.length, 1);
    const size = attempt ? BLOCK_ROWS[request.mode] : ofCall;
    const creation = rehearsal ? this.#deps.creation.within(rehearsal) : this.#deps.creation;
    const call = { request, principal, attempt, rehearsal, creation };
    let counts = NOTHING;
    let waiting: readonly Waiting[] = [];
    let taken = 0;
    let isWhole = true;
    while (taken < rows.length && isWhole && !(taken > 0 && isLate?.())) {
      const block = rows.slice(taken, taken + size);
      const { done, later, tried } = await this.#once(model, block, call);
      counts = add(counts, done);
      waiting = [...waiting, ...later];
      taken += tried;
      isWhole = tried === block.length;
    }
    for (let left = taken; waiting.length > 0 && waiting.length < left && !isOver?.(); ) {
      left = waiting.length;
      const again = waiting.map(({ row }) => row);
      const { done, later, tried } = await this.#once(model, again, call, true);
      counts = add(counts, done);
      waiting = [...later, ...waiting.slice(tried)];
    }
    const all = waiting.length > 0 ? add(counts, refused(waiting)) : counts;
    const isExact = rehearsal?.overlay.isExact ?? true;
    return { counts: { ...all, ...(!isExact && { exact: false }) }, taken };
  }

  #rehearsalOf({ dryRun, mode }: RowImportRequest): Rehearsal | undefined {
    if (!dryRun) return undefined;
    return new Rehearsal(this.#deps.rehearsals, new Overlay(mode === 'upsert'));
  }

  /**
   * @param isLast whether no later attempt takes up what is left out
   * @returns what became of the rows before the first that was not tried, and their number; in an attempt, one that
   *   something else has broken counts as not tried
   * @throws Error that broke the first row, when nothing else would take it up, or any row of a dry run
   */
  async #once(
    model: EntityModel,
    rows: readonly ImportRow[],
    call: Import,
    isLast = false,
  ): Promise<{ done: ImportCounts; later: readonly Waiting[]; tried: number }> {
    const { request, principal, attempt, rehearsal, creation } = call;
    const found = await this.#known(model, rows, call);
    const known = new Map([...found].map(([row, { id }]) => [row, id]));
    const isOver = request.mode === 'upsert' ? undefined : attempt?.isOver;
    const repeated = repeatedKeys(model, rows, known, request);
    const creates = rows
      .filter(({ row }) => !known.has(row) && !repeated.has(row))
      .map(({ row, body }) => ({ index: row, body }));
    const created =
      creates.length > 0 ? await creation.createMany(model, creates, principal, isOver) : [];
    const updated: BulkResult[] = [];
    for (const { row, body } of rows) {
      const id = known.get(row);
      if (id !== undefined) updated.push(await this.#update(model, { index: row, id, body }, call));
    }
    const again = [...repeated].map((row) => waitingForKey(row, request.key));
    const byRow = new Map(rows.map((row) => [row.row, row]));
    const seen = { results: [...created, ...updated], known: found, byRow };
    const before =
      attempt && !rehearsal
        ? await this.#deps.storedRows.storedBefore(model, seen, principal, attempt)
        : new Set<number>();
    for (const { id } of created) if (id !== undefined) attempt?.made.add(id);
    const results = [...created, ...updated, ...again].map(
      (each): BulkResult => (before.has(each.index) ? { index: each.index, status: 201 } : each),
    );
    const whole = attempt ? results.filter((each) => !isBroken(each)) : results;
    const tried = countUntilMissing(rows, whole);
    const broken = brokenOf(results, call);
    // What a dry run has made of the rows behind it is thrown away with the attempt.
    if (broken?.error && (tried === 0 || isLast || rehearsal)) throw broken.error;
    // Invalid rows are known at once, though they come after some that are left out.
    const counted = new Set(rows.slice(0, tried).map(({ row }) => row));
    const all = results.filter(({ index }) => counted.has(index));
    const mayFollow = (index: number, { code }: Problem): boolean =>
      code === 'REFERENCE_NOT_FOUND' || (code === 'UNIQUE_VIOLATION' && repeated.has(index));
    const later = all.flatMap(({ index, error }): Waiting[] => {
      const row = byRow.get(index);
      return row && error && mayFollow(index, error) ? [{ row, error }] : [];
    });
    const failed = all.filter(({ index, error }) => error && !mayFollow(index, error));
    const done = {
      created: all.filter(({ status }) => status === 201).length,
      updated: all.filter(({ status }) => status === 200).length,
      failed: failed.length,
      errors: failed.flatMap(({ index, error }) => (error ? toErrors(index, error) : [])),
    };
    return { done, later, tried };
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

  #update(
    model: EntityModel,
    { index, id, body }: { index: number; id: string; body: JsonObject },
    { principal, rehearsal }: Import,
  ): Promise<BulkResult> {
    const { records, catalog } = this.#deps;
    return attempt(index, 200, () =>
      catalog.withCurrent<unknown>(model, (now) =>
        (rehearsal ?? records).update(now, id, body, principal),
      ),
    );
  }
}

/** What something else has broken, where an attempt tries it again, or a dry run says something wrong. */
function brokenOf(
  results: readonly BulkResult[],
  { attempt, rehearsal }: Import,
): BulkResult | undefined {
  return attempt || rehearsal ? results.find(isBroken) : undefined;
}
