import type { Files } from '../../../shared/files/files.ts';
import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { isUuid } from '../domain/records/merge.ts';
import { findPage } from '../domain/search/run.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { RecordService } from '../records/record-service.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { BulkResult, BulkService } from './bulk-service.ts';
import type { TransferFormat } from './export-service.ts';
import { type FileChunk, type FilePosition, ImportFile } from './import-file.ts';
import { type ImportRow, readRows, withId } from './import-rows.ts';

export interface ImportRequest {
  readonly format: TransferFormat;
  readonly mode: 'insert' | 'upsert';
  /** Field that an upsert finds records by. */
  readonly key: string;
  readonly dryRun: boolean;
}

/** One row that was not imported. */
export interface ImportError {
  readonly row: number;
  readonly field?: string;
  readonly code: string;
  readonly detail?: string;
}

/** Result of an import. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  readonly errors: readonly ImportError[];
}

export interface ImportServiceDependencies {
  readonly access: EntityAccess;
  readonly bulk: BulkService;
  readonly records: RecordService;
  readonly repository: RecordRepository;
  readonly queries: QueryService;
  readonly catalog: EntityCatalog;
  readonly jobs: JobService;
  readonly files: Files;
  readonly ids: IdGenerator;
}

/** Rows that are imported within one answer. */
const MAX_INLINE_ROWS = 500;
const MAX_ERRORS = 100;
const NOTHING: ImportCounts = { created: 0, updated: 0, failed: 0, errors: [] };

/** A step that an interrupted run may have begun. */
interface Attempt {
  /** When the job began: its records are not older. */
  readonly since: string;
  /** Those of the ids that rows before the step have. */
  readonly earlier: (ids: ReadonlySet<string>) => Promise<ReadonlySet<string>>;
}

/** Reads records from files. */
export class ImportService {
  readonly #deps: ImportServiceDependencies;

  constructor(dependencies: ImportServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Imports a file; a long one is imported by a job.
   * @throws Problem `IMPORT_INVALID`, `INVALID_PARAMETER` (400), `FORBIDDEN` (403)
   */
  async import(
    model: EntityModel,
    bytes: Buffer,
    request: ImportRequest,
    principal: Principal,
  ): Promise<ImportCounts | { readonly job: EntityJob }> {
    const { files, ids, jobs } = this.#deps;
    await this.check(model, request, principal);
    const rows = readRows(model, bytes, request.format);
    if (rows.length <= MAX_INLINE_ROWS) return this.#all(model, rows, request, principal);
    const object = `entities/imports/${ids()}.${request.format}`;
    await files.write(object, bytes, 'application/octet-stream');
    const input = { ...request, object, principal, total: rows.length };
    return { job: await jobs.start('IMPORT', model.code, input, principal.id) };
  }

  /** @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403) when the caller may not import like this */
  async check(
    model: EntityModel,
    { mode, key }: Pick<ImportRequest, 'mode' | 'key'>,
    principal: Principal,
  ): Promise<void> {
    const { access } = this.#deps;
    await access.check(model, principal, 'add');
    if (mode !== 'upsert') return;
    await access.check(model, principal, 'edit');
    checkKey(model, key);
  }

  /** The next rows of a job `IMPORT`. */
  async step({
    id,
    subject: entity,
    input,
    progress,
    result,
    createdAt,
  }: EntityJob): Promise<StepOutcome> {
    const { catalog, files } = this.#deps;
    const {
      object,
      principal = systemPrincipal,
      ...request
    } = input as unknown as ImportRequest & {
      object: string;
      principal: Principal;
    };
    if (progress.isRead) {
      await files.delete(object);
      return { isDone: true };
    }
    const model = await catalog.load(entity);
    const file = new ImportFile(files, model, { object, format: request.format });
    const from = { byte: 0, row: 0, ...(progress as Partial<FilePosition>) };
    const { rows, next, isLast } = await this.#chunk(file, from);
    const ids = new Set<unknown>();
    const chunk = rows.map((row) => {
      const isFirst = row.body.id === undefined || !ids.has(row.body.id);
      ids.add(row.body.id);
      return { ...withId(row, id), isFirst };
    });
    const attempt = {
      since: createdAt,
      earlier: (ids: ReadonlySet<string>) => file.idsBefore(from.row, ids),
    };
    const counts = await this.#all(model, chunk, request, principal, attempt);
    const before = { ...NOTHING, ...result } as ImportCounts;
    const { total = isLast ? next.row : undefined } = input as { total?: number };
    return {
      isDone: false,
      processed: chunk.length,
      ...(total === undefined ? {} : { total }),
      progress: { ...next, isRead: isLast },
      result: { ...add(before, counts) },
    };
  }

  /** An invalid file fails its job. */
  async #chunk(file: ImportFile, from: FilePosition): Promise<FileChunk> {
    try {
      return await file.chunk(from);
    } catch (error) {
      if (error instanceof Problem) throw new JobFailure(error.detail, { code: error.code });
      throw error;
    }
  }

  /** Deletes the file of a cancelled job; what its steps have imported stays. */
  async clear({ input }: EntityJob): Promise<void> {
    await this.#deps.files.delete(String(input.object));
  }

  /** Imports rows, those whose references are not there yet once more after the others. */
  async #all(
    model: EntityModel,
    rows: readonly ImportRow[],
    request: ImportRequest,
    principal: Principal,
    attempt?: Attempt,
  ): Promise<ImportCounts> {
    let counts = NOTHING;
    let waiting = rows;
    for (;;) {
      const { done, later } = await this.#once(model, waiting, request, principal, attempt);
      counts = add(counts, done);
      if (later.length === 0) return counts;
      if (later.length === waiting.length) return add(counts, refused(later));
      waiting = later.map(({ row }) => row);
    }
  }

  async #once(
    model: EntityModel,
    rows: readonly ImportRow[],
    request: ImportRequest,
    principal: Principal,
    attempt: Attempt | undefined,
  ): Promise<{ done: ImportCounts; later: readonly Waiting[] }> {
    const known =
      request.mode === 'upsert'
        ? await this.#known(model, rows, request.key)
        : new Map<number, string>();
    const creates = rows
      .filter(({ row }) => !known.has(row))
      .map(({ row, body }) => ({ index: row, body }));
    const created = await this.#create(model, creates, request, principal);
    const updated: BulkResult[] = [];
    for (const { row, body } of rows) {
      const id = known.get(row);
      if (id !== undefined)
        updated.push(await this.#update(model, row, id, body, request, principal));
    }
    const byRow = new Map(rows.map((row) => [row.row, row]));
    const before = attempt
      ? await this.#storedBefore(model, created, byRow, principal, attempt)
      : new Set<number>();
    const all: BulkResult[] = [...created, ...updated].map((each) =>
      before.has(each.index) ? { index: each.index, status: 201 } : each,
    );
    const later = all.flatMap(({ index, error }): Waiting[] => {
      const row = byRow.get(index);
      return row && error?.code === 'REFERENCE_NOT_FOUND' ? [{ row, error }] : [];
    });
    const failed = all.filter(({ error }) => error && error.code !== 'REFERENCE_NOT_FOUND');
    const done = {
      created: all.filter(({ status }) => status === 201).length,
      updated: all.filter(({ status }) => status === 200).length,
      failed: failed.length,
      errors: failed.flatMap(({ index, error }) => (error ? toErrors(index, error) : [])),
    };
    return { done, later };
  }

  /** Rows that an interrupted run of this step has stored: the first ones with their ids. */
  async #storedBefore(
    { code }: EntityModel,
    results: readonly BulkResult[],
    byRow: ReadonlyMap<number, ImportRow>,
    principal: Principal,
    { since, earlier }: Attempt,
  ): Promise<ReadonlySet<number>> {
    const firsts = new Map<string, number>();
    for (const { index, error } of results) {
      const { body, isFirst } = byRow.get(index) ?? {};
      if (error?.code === 'RECORD_EXISTS' && isFirst) {
        firsts.set(String(body?.id).toLowerCase(), index);
      }
    }
    const own = new Set<string>();
    const ids = [...firsts.keys()];
    for (let at = 0; at < ids.length; at += 100) {
      const headers = await this.#deps.repository.findHeaders(code, ids.slice(at, at + 100), true);
      for (const [id, header] of headers) {
        if (header.createdBy === principal.id && header.createdAt >= since) own.add(id);
      }
    }
    // The record belongs to an earlier row: the file contains its id twice.
    const ofEarlierRows = own.size > 0 ? await earlier(own) : new Set<string>();
    return new Set(
      [...own].filter((id) => !ofEarlierRows.has(id)).map((id) => firsts.get(id) ?? 0),
    );
  }

  async #create(
    model: EntityModel,
    bodies: readonly { index: number; body: JsonObject }[],
    { dryRun }: ImportRequest,
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    if (bodies.length === 0) return [];
    if (!dryRun) return this.#deps.bulk.createMany(model, bodies, principal);
    const grant = await this.#deps.access.check(model, principal, 'add');
    return bodies.map(({ index, body }) =>
      attempt(index, 201, () => void this.#deps.records.newHeader(model, body, principal, grant)),
    );
  }

  async #update(
    model: EntityModel,
    index: number,
    id: string,
    body: JsonObject,
    { dryRun }: ImportRequest,
    principal: Principal,
  ): Promise<BulkResult> {
    const { records, catalog } = this.#deps;
    try {
      const { header } = dryRun
        ? await records.preview(model, id, body, principal)
        : await catalog.withCurrent(model, (current) =>
            records.update(current, id, body, principal),
          );
      return { index, status: 200, id, version: header.version };
    } catch (error) {
      if (error instanceof Problem) return { index, status: error.status, error };
      throw error;
    }
  }

  /** Existing records of the rows of an upsert, by row. */
  async #known(
    model: EntityModel,
    rows: readonly ImportRow[],
    key: string,
  ): Promise<Map<number, string>> {
    const known = new Map<number, string>();
    for (const { row, body } of rows) {
      const value = body[key];
      if (value === undefined || value === null) continue;
      if (key === 'id' && !isUuid(String(value))) continue;
      const filter = parseFilterObject({ [key]: value }, model, 'key');
      const order = [{ field: 'id', descending: false }];
      const { records } = await findPage(
        { filter, order, skip: 0, size: 1 },
        this.#deps.queries.open(model, true),
      );
      const [found] = records;
      if (found) known.set(row, found.id);
    }
    return known;
  }
}

/** @throws Problem `INVALID_PARAMETER` (400) for a field that several records may share */
function checkKey(model: EntityModel, key: string): void {
  if (key === 'id' || model.field(key)?.unique) return;
  const detail = `must be id or a unique field, not ${key.slice(0, 80)}`;
  throw httpProblems.invalidParameter([{ parameter: 'key', code: 'NOT_UNIQUE', detail }]);
}

interface Waiting {
  readonly row: ImportRow;
  readonly error: Problem;
}

function attempt(index: number, status: number, work: () => void): BulkResult {
  try {
    work();
    return { index, status };
  } catch (error) {
    if (error instanceof Problem) return { index, status: error.status, error };
    throw error;
  }
}

function refused(later: readonly Waiting[]): ImportCounts {
  const errors = later.flatMap(({ row, error }) => toErrors(row.row, error));
  return { created: 0, updated: 0, failed: later.length, errors };
}

function toErrors(row: number, problem: Problem): ImportError[] {
  if (problem.errors.length === 0) return [{ row, code: problem.code, detail: problem.detail }];
  return problem.errors.map(({ pointer, code, detail }) => ({
    row,
    ...(pointer ? { field: pointer.slice(1) } : {}),
    code,
    detail,
  }));
}

function add(one: ImportCounts, other: ImportCounts): ImportCounts {
  return {
    created: one.created + other.created,
    updated: one.updated + other.updated,
    failed: one.failed + other.failed,
    errors: [...one.errors, ...other.errors].slice(0, MAX_ERRORS),
  };
}
