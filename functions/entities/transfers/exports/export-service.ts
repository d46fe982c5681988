import type { Files } from '../../../../shared/files/files.ts';
import { MAX_RESPONSE_BYTES } from '../../../../shared/http/answer-size.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { EntityAccess } from '../../access/entity-access.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import { readNames } from '../../domain/query/list-query.ts';
import type { EntityJob, JobService } from '../../jobs/job-service.ts';
import {
  CONTENT_TYPES,
  type ExportFile,
  type ExportRequest,
  type TransferFormat,
  type Written,
} from './export-file.ts';
import { type ExportInput, stagedAt } from './export-job.ts';
import type { ExportParameters, ExportScopes } from './export-scope.ts';
import type { ExportSource } from './export-source.ts';

/** A file, or the job that makes it. */
export type ExportOutcome = (
  | { readonly kind: 'file'; readonly text: string; readonly contentType: string }
  | { readonly kind: 'job'; readonly job: EntityJob }
) & {
  /** Encrypted fields that were asked for. */
  readonly leftOut: readonly string[];
};

export interface ExportServiceDependencies {
  readonly access: EntityAccess;
  readonly scopes: ExportScopes;
  readonly source: ExportSource;
  readonly jobs: JobService;
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Largest file that is part of an answer. */
const MAX_INLINE_BYTES = 4 * 1_024 * 1_024;
const MAX_INLINE_MS = 5_000;
/** Names of all columns of a file, as JSON. */
const MAX_COLUMN_BYTES = 200_000;

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
    parameters: ExportParameters,
    principal: Principal,
  ): Promise<ExportOutcome> {
    const { access, scopes, source } = this.#deps;
    const moment = access.moment();
    const scope = await scopes.judged(model, parameters, principal, moment);
    const fields = readNames(
      'fields',
      parameters.fields,
      (name) => model.field(name) !== undefined,
    );
    const request = { format, ...scope, fields: fields ?? null };
    const file = await source.file(model, request, principal);
    const { leftOut, columns } = file;
    refuseTooWide(columns);
    const written = await this.#begin(model, request, file, principal);
    const text = written.isEnd ? Buffer.concat(written.chunks).toString() + file.tail : undefined;
    if (text !== undefined && fitsAnswer(text)) {
      return { kind: 'file', text, contentType: CONTENT_TYPES[format], leftOut };
    }
    // Filter and order are not kept: each step works them out anew, and ids of related records would not fit into the job.
    const { filter: _filter, order: _order, ...kept } = request;
    const input = { ...kept, columns, leftOut, asked: { parameters, principal, moment } };
    return { kind: 'job', job: await this.#start(model, input, written, principal), leftOut };
  }

  async #begin(
    model: EntityModel,
    request: ExportRequest,
    file: ExportFile,
    principal: Principal,
  ): Promise<Written> {
    const { source, clock } = this.#deps;
    const endsAt = clock.now() + MAX_INLINE_MS;
    const isLate = (): boolean => clock.now() > endsAt;
    const head = Buffer.from(await file.head());
    const records = source.records(model, request, principal, { after: undefined, isLate });
    return file.append(
      model,
      records,
      { chunks: [head], bytes: head.length, count: 0, after: undefined },
      (bytes) => bytes > MAX_INLINE_BYTES || isLate(),
    );
  }

  /** Starts the job that continues from what has been read. */
  async #start(
    { code }: EntityModel,
    request: Omit<ExportInput, 'begun'>,
    { chunks, count, after }: Written,
    principal: Principal,
  ): Promise<EntityJob> {
    const { files, ids, jobs } = this.#deps;
    const staged = stagedAt(ids());
    await files.write(staged, Buffer.concat(chunks), 'application/octet-stream');
    const input: ExportInput = { ...request, begun: { staged, count, after } };
    return jobs.start('EXPORT', code, { ...input }, principal);
  }
}

/** @throws Problem `INVALID_PARAMETER` (400) for more columns than a job keeps */
function refuseTooWide(columns: readonly string[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(columns));
  if (bytes <= MAX_COLUMN_BYTES) return;
  const detail = `makes ${columns.length} columns, whose names take ${bytes} bytes of at most ${MAX_COLUMN_BYTES}; name fewer references`;
  throw httpProblems.invalidParameter([{ parameter: 'expand', code: 'TOO_MANY', detail }]);
}

/** Whether a text fits into the answer of a function, where quotes and line ends take two characters. Some room is left for headers. */
const fitsAnswer = (text: string): boolean =>
  Buffer.byteLength(JSON.stringify(text)) <= MAX_RESPONSE_BYTES - 16_384;
