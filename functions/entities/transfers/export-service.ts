import type { Files } from '../../../shared/files/files.ts';
import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord } from '../domain/entity/record.ts';
import { allOf, type Filter } from '../domain/query/filter.ts';
import { readFilter, readNames } from '../domain/query/list-query.ts';
import { toFlat } from '../domain/records/present.ts';
import { findPage } from '../domain/search/run.ts';
import { columnsOf, csvHead, csvLines } from '../domain/transfer/csv.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { RecordReader } from '../records/record-reader.ts';

/** Form of an exported file. */
export type TransferFormat = 'csv' | 'json' | 'ndjson';

export interface ExportRequest {
  readonly format: TransferFormat;
  readonly filter: Filter;
  readonly fields: readonly string[] | null;
  /** Fields that the caller may see; all when there is no list. */
  readonly visible: readonly string[] | null;
}

/** A file, or the job that makes it. */
export type ExportOutcome =
  | { readonly kind: 'file'; readonly text: string; readonly contentType: string }
  | { readonly kind: 'job'; readonly job: EntityJob };

export interface ExportServiceDependencies {
  readonly access: EntityAccess;
  readonly queries: QueryService;
  readonly reader: RecordReader;
  readonly catalog: EntityCatalog;
  readonly jobs: JobService;
  readonly files: Files;
  readonly clock: Clock;
}

/** Largest file that is part of an answer. */
const MAX_INLINE_BYTES = 4 * 1_024 * 1_024;
const MAX_INLINE_MS = 10_000;
/** Largest file of a job. */
const MAX_FILE_BYTES = 256 * 1_024 * 1_024;
const PAGE_SIZE = 200;

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;

/** Writes records into files. */
export class ExportService {
  readonly #deps: ExportServiceDependencies;

  constructor(dependencies: ExportServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The records that meet the filters of a call, as a file; large ones are made by a job.
   * @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403)
   */
  async export(
    model: EntityModel,
    format: TransferFormat,
    parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
    principal: Principal,
  ): Promise<ExportOutcome> {
    const grant = await this.#deps.access.check(model, principal, 'view');
    const filter = allOf([
      readFilter(parameters, model, ['format', 'fields', 'q', 'filter']),
      grant.filter,
    ]);
    const fields = readNames(
      'fields',
      parameters.fields,
      (name) => model.field(name) !== undefined,
    );
    const visible = grant.fields ? [...grant.fields] : null;
    const request = { format, filter, fields: fields ?? null, visible };
    const text = await this.#write(model, request, MAX_INLINE_BYTES, MAX_INLINE_MS);
    if (text !== undefined) return { kind: 'file', text, contentType: CONTENT_TYPES[format] };
    const job = await this.#deps.jobs.start('EXPORT', model.code, { ...request }, principal.id);
    return { kind: 'job', job };
  }

  /** The whole work of a job `EXPORT`. */
  async step({ id, subject: entity, input }: EntityJob): Promise<StepOutcome> {
    const { catalog, files } = this.#deps;
    const request = input as unknown as ExportRequest;
    const model = await catalog.load(entity);
    const text = await this.#write(model, request, MAX_FILE_BYTES, Number.POSITIVE_INFINITY);
    if (text === undefined)
      throw new JobFailure('The file would be too large; export fewer records.');
    const object = exportObject(id, request);
    await files.write(object, Buffer.from(text), CONTENT_TYPES[request.format]);
    return { isDone: true, result: { object, bytes: Buffer.byteLength(text) } };
  }

  /** Deletes the file of a cancelled job. */
  async clear({ id, input }: EntityJob): Promise<void> {
    await this.#deps.files.delete(exportObject(id, input as unknown as ExportRequest));
  }

  /** @returns `undefined` when the file is larger or takes longer than allowed */
  async #write(
    model: EntityModel,
    { format, filter, fields, visible }: ExportRequest,
    maxBytes: number,
    maxMs: number,
  ): Promise<string | undefined> {
    const endsAt = this.#deps.clock.now() + maxMs;
    const columns = columnsOf(
      model,
      visible
        ? (fields ?? visible).filter((code) => visible.includes(code))
        : (fields ?? undefined),
    );
    const parts: string[] = [];
    let bytes = 0;
    let count = 0;
    for await (const page of this.#pages(model, filter)) {
      const records = page.map((record) => pick(record, columns));
      const text = toText(format, records, columns, count === 0);
      parts.push(text);
      bytes += Buffer.byteLength(text);
      count += records.length;
      if (bytes > maxBytes || this.#deps.clock.now() > endsAt) return undefined;
    }
    if (format === 'csv') return csvHead(columns) + parts.join('');
    return format === 'json' ? `[${parts.join('')}]` : parts.join('');
  }

  /** Every record that meets a filter, oldest first; an export may read to the end. */
  async *#pages(model: EntityModel, filter: Filter): AsyncGenerator<readonly FlatRecord[]> {
    const order = [{ field: 'id', descending: false }];
    let next: Awaited<ReturnType<typeof findPage>>['next'];
    do {
      const search = this.#deps.queries.open(model, true);
      const start = next ? { position: next.position, skip: next.skip } : { skip: 0 };
      const found = await findPage({ filter, order, size: PAGE_SIZE, ...start }, search);
      const open = await Promise.all(
        found.records.map((header) => this.#deps.reader.decrypted(model, header)),
      );
      if (open.length > 0) yield open.map((header) => toFlat(model, header));
      next = found.next;
    } while (next);
  }
}

const exportObject = (id: string, { format }: ExportRequest): string =>
  `entities/exports/${id}.${format}`;

function pick(record: FlatRecord, columns: readonly string[]): FlatRecord {
  return Object.fromEntries(
    columns.flatMap((column) => (record[column] === undefined ? [] : [[column, record[column]]])),
  ) as FlatRecord;
}

function toText(
  format: TransferFormat,
  records: readonly FlatRecord[],
  columns: readonly string[],
  isFirst: boolean,
): string {
  if (format === 'csv') return csvLines(records, columns);
  const lines = records.map((record) => JSON.stringify(record));
  return format === 'ndjson' ? `${lines.join('\n')}\n` : (isFirst ? '' : ',\n') + lines.join(',\n');
}
