import type { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { add, type ImportCounts, NOTHING, toErrors } from '../domain/transfer/import-counts.ts';
import type { RecordDrafts } from '../records/record-drafts.ts';
import type { RecordService } from '../records/record-service.ts';
import { type BulkCreation, type BulkResult, isBroken } from './bulk-creation.ts';
import type { TransferFormat } from './exports/export-file.ts';
import type { ImportPreview, PlannedRow } from './import-preview.ts';
import type { ImportRow } from './import-rows.ts';
import { repeatedKeys, waitingForKey } from './repeated-keys.ts';
import { attempt, countUntilMissing, refused, type Waiting } from './row-results.ts';
import type { Attempt, StoredRows } from './stored-rows.ts';

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
  readonly records: RecordService;
  readonly drafts: RecordDrafts;
  readonly catalog: EntityCatalog;
  readonly storedRows: StoredRows;
  readonly preview: ImportPreview;
}

/** A step of a job, which ends in time. */
export interface TimedAttempt extends Attempt {
  /** Whether no further block of rows is begun. */
  readonly isLate: () => boolean;
  /** Whether no further row is begun, and none is tried again. */
  readonly isOver: () => boolean;
}

/** Rows between two looks at the time: new records of a block are left out when it is over, changes are not. */
const BLOCK_ROWS = { insert: 50, upsert: 10 } as const;

interface RepeatedRows {
  /** The first row with the key of a row. */
  readonly repeated: ReadonlyMap<number, ImportRow>;
  /** Records that a dry run makes, by row. */
  readonly made: ReadonlyMap<number, RecordHeader>;
  /** Takes their changes. */
  readonly planned: PlannedRow[];
  readonly key: string;
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
    attempt?: TimedAttempt,
  ): Promise<{ readonly counts: ImportCounts; readonly taken: number }> {
    const size = attempt ? BLOCK_ROWS[request.mode] : Math.max(rows.length, 1);
    let counts = NOTHING;
    let waiting: readonly Waiting[] = [];
    let taken = 0;
    let isWhole = true;
    while (taken < rows.length && isWhole && !(taken > 0 && attempt?.isLate())) {
      const block = rows.slice(taken, taken + size);
      const { done, later, tried } = await this.#once(model, block, request, principal, attempt);
      counts = add(counts, done);
      waiting = [...waiting, ...later];
      taken += tried;
      isWhole = tried === block.length;
    }
    for (let left = taken; waiting.length > 0 && waiting.length < left && !attempt?.isOver(); ) {
      left = waiting.length;
      const again = waiting.map(({ row }) => row);
      const { done, later, tried } = await this.#once(
        model,
        again,
        request,
        principal,
        attempt,
        true,
      );
      counts = add(counts, done);
      waiting = [...later, ...waiting.slice(tried)];
    }
    return { counts: waiting.length > 0 ? add(counts, refused(waiting)) : counts, taken };
  }

  /**
   * @param isLast whether no later attempt takes up what is left out
   * @returns what became of the rows before the first that was not tried, and their number; in an attempt, one that
   *   something else has broken counts as not tried
   * @throws Error that broke the first row, when nothing else would take it up
   */
  async #once(
    model: EntityModel,
    rows: readonly ImportRow[],
    request: RowImportRequest,
    principal: Principal,
    attempt: TimedAttempt | undefined,
    isLast = false,
  ): Promise<{ done: ImportCounts; later: readonly Waiting[]; tried: number }> {
    const isUpsert = request.mode === 'upsert';
    const found = await this.#known(model, rows, request, principal);
    const known = new Map([...found].map(([row, { id }]) => [row, id]));
    const isOver = isUpsert ? undefined : attempt?.isOver;
    const repeated = repeatedKeys(rows, known, request);
    const creates = rows
      .filter(({ row }) => !known.has(row) && !repeated.has(row))
      .map(({ row, body }) => ({ index: row, body }));
    const planned: PlannedRow[] = [];
    const created = request.dryRun
      ? await this.#plan(model, creates, planned, principal)
      : await this.#create(model, creates, principal, isOver);
    const updated: BulkResult[] = [];
    for (const { row, body } of rows) {
      const id = known.get(row);
      if (id === undefined) continue;
      const given = { index: row, id, body, planned: request.dryRun ? planned : undefined };
      updated.push(await this.#update(model, given, principal));
    }
    const isPart = attempt !== undefined;
    const judged = await this.#deps.preview.refusals(model, planned, principal, isPart);
    const made = new Map(
      planned.flatMap((each) => (judged.has(each.index) ? [] : [[each.index, each.after]])),
    );
    const { key } = request;
    const again = await this.#again(model, rows, { repeated, made, planned, key }, principal);
    const refusals = again.some(({ error }) => !error)
      ? await this.#deps.preview.refusals(model, planned, principal, isPart)
      : judged;
    const held = new Set(
      again.flatMap(({ index, error }) => (error?.code === 'UNIQUE_VIOLATION' ? [index] : [])),
    );
    const byRow = new Map(rows.map((row) => [row.row, row]));
    const seen = { results: [...created, ...updated], known: found, byRow };
    const before =
      attempt && !request.dryRun
        ? await this.#deps.storedRows.storedBefore(model, seen, principal, attempt)
        : new Set<number>();
    const results = [...created, ...updated, ...again].map((each): BulkResult => {
      const error = refusals.get(each.index);
      if (error) return { index: each.index, status: error.status, error };
      return before.has(each.index) ? { index: each.index, status: 201 } : each;
    });
    const whole = attempt ? results.filter((each) => !isBroken(each)) : results;
    const tried = countUntilMissing(rows, whole);
    const broken = attempt && results.find(isBroken);
    if (broken?.error && (tried === 0 || isLast)) throw broken.error;
    // Invalid rows are known at once, though they come after some that are left out.
    const counted = new Set(rows.slice(0, tried).map(({ row }) => row));
    const all = results.filter(({ index }) => counted.has(index));
    const mayFollow = (index: number, { code }: Problem): boolean =>
      code === 'REFERENCE_NOT_FOUND' || (code === 'UNIQUE_VIOLATION' && held.has(index));
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
    { mode, key }: RowImportRequest,
    principal: Principal,
  ): Promise<ReadonlyMap<number, RecordHeader>> {
    if (mode !== 'upsert') return new Map();
    const { access, storedRows } = this.#deps;
    const grant = await access.check(model, principal, 'edit');
    return storedRows.known(model, rows, key, await access.seen(model, principal, grant));
  }

  async #create(
    model: EntityModel,
    bodies: readonly { index: number; body: JsonObject }[],
    principal: Principal,
    isOver: (() => boolean) | undefined,
  ): Promise<readonly BulkResult[]> {
    if (bodies.length === 0) return [];
    return this.#deps.creation.createMany(model, bodies, principal, isOver);
  }

  /** Dry run of new records. @param planned takes those that have no mistake of their own */
  async #plan(
    model: EntityModel,
    bodies: readonly { index: number; body: JsonObject }[],
    planned: PlannedRow[],
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    if (bodies.length === 0) return [];
    const grant = await this.#deps.access.check(model, principal, 'add');
    const results: BulkResult[] = [];
    for (const { index, body } of bodies) {
      const result = await attempt(index, 201, async () => {
        const after = await this.#deps.drafts.created(model, body, principal, grant);
        planned.push({ index, before: undefined, after });
      });
      results.push(result);
    }
    return results;
  }

  /** Rows with the key of one before them wait until that one is stored; in a dry run they change what it would make. */
  async #again(
    model: EntityModel,
    rows: readonly ImportRow[],
    { repeated, made, planned, key }: RepeatedRows,
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    if (repeated.size === 0) return [];
    const grant = await this.#deps.access.check(model, principal, 'add');
    const results: BulkResult[] = [];
    for (const { row, body } of rows) {
      const first = repeated.get(row);
      if (!first) continue;
      const before = made.get(first.row);
      const work = async () => {
        const whole = { ...first.body, ...body };
        const draft = await this.#deps.drafts.created(model, whole, principal, grant);
        if (before) planned.push({ index: row, before, after: { ...draft, id: before.id } });
      };
      results.push(before ? await attempt(row, 200, work) : waitingForKey(row, key));
    }
    return results;
  }

  /** @param planned takes the change of a dry run */
  async #update(
    model: EntityModel,
    {
      index,
      id,
      body,
      planned,
    }: { index: number; id: string; body: JsonObject; planned: PlannedRow[] | undefined },
    principal: Principal,
  ): Promise<BulkResult> {
    const { records, drafts, catalog } = this.#deps;
    return attempt(index, 200, async () => {
      if (!planned) {
        return catalog.withCurrent(model, (now) => records.update(now, id, body, principal));
      }
      const { before, after } = await drafts.preview(model, id, body, principal);
      return planned.push({ index, before, after });
    });
  }
}
