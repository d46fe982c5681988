import type { Files } from '../../../shared/files/files.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { firstOf, type ImportCounts } from '../domain/transfer/import-counts.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { RowNotes } from '../store/jobs/import-places.ts';
import type { ImportInput } from './import-job.ts';
import { readBodies, type SentFile } from './import-rows.ts';
import { toLines } from './json-to-lines.ts';
import type { RowImport, RowImportRequest } from './row-import.ts';
import { RowLedger } from './row-ledger.ts';

export interface ImportServiceDependencies {
  readonly access: EntityAccess;
  readonly rowImport: RowImport;
  readonly jobs: JobService;
  readonly files: Files;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** Rows that are imported within one answer, as far as there is time. */
const MAX_INLINE_ROWS = 500;
const MAX_INLINE_MS = 8_000;
/** Bytes of the errors that a job begins with; it counts on from them. */
const MAX_BEGUN_BYTES = 50_000;

/** Imports records from files. */
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
    sent: SentFile,
    how: RowImportRequest,
    principal: Principal,
  ): Promise<ImportCounts | { readonly job: EntityJob }> {
    const { clock, rowImport } = this.#deps;
    await this.check(model, how, principal);
    const bodies = await readBodies(model, sent);
    if (bodies.length <= MAX_INLINE_ROWS) {
      const rows = bodies.map((body, at) => ({ row: at + 1, body }));
      const endsAt = clock.now() + MAX_INLINE_MS;
      // Records that are there already may have large values; new ones are as large as the file at most.
      const isLate = how.mode === 'upsert' ? () => clock.now() > endsAt : undefined;
      const ledger = new RowLedger({ first: 1, isLate });
      const counts = await rowImport.import(model, rows, how, principal, { ledger });
      if (rows.every(({ row }) => ledger.has(row))) return counts;
      // A dry run begins again: the job knows nothing of what the rows before would have stored.
      const begun = how.dryRun ? {} : { begun: begunWith(ledger.notes) };
      const input = { ...how, ...begun, total: bodies.length };
      return { job: await this.#start(model, linesOf(bodies), input, principal) };
    }
    const file = 'bytes' in sent ? sent : linesOf(bodies);
    return { job: await this.#start(model, file, { ...how, total: bodies.length }, principal) };
  }

  async #start(
    { code }: EntityModel,
    { bytes, format }: Extract<SentFile, { readonly bytes: Buffer }>,
    how: Omit<ImportInput, 'format' | 'object' | 'principal'>,
    principal: Principal,
  ): Promise<EntityJob> {
    const { files, ids, jobs } = this.#deps;
    const object = `entities/imports/${ids()}.${format}`;
    await files.write(object, bytes, 'application/octet-stream');
    return jobs.start('IMPORT', code, { ...how, format, object, principal }, principal);
  }

  /** @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403) when the caller may not import like this */
  async check(
    model: EntityModel,
    { mode, key }: Pick<RowImportRequest, 'mode' | 'key'>,
    principal: Principal,
  ): Promise<void> {
    const { access } = this.#deps;
    await access.check(model, principal, 'add');
    if (mode !== 'upsert') return;
    const grant = await access.check(model, principal, 'edit');
    checkKey(model, key);
    const { fields } = await access.seen(model, principal, grant);
    if (key === 'id' || (fields?.has(key) ?? true)) return;
    throw httpProblems.forbidden({}, { detail: `The caller is not allowed to see ${key}.` });
  }
}

const linesOf = (bodies: readonly JsonObject[]) =>
  ({ bytes: toLines(bodies), format: 'ndjson' }) as const;

/** What a call has done of a file that a job goes on with. */
function begunWith({ done, counts }: RowNotes): RowNotes {
  const errors = firstOf(counts.errors, counts.errors.length, MAX_BEGUN_BYTES);
  return { done, counts: { ...counts, errors } };
}

/** @throws Problem `INVALID_PARAMETER` (400) for a field that several records may share */
function checkKey(model: EntityModel, key: string): void {
  if (key === 'id' || model.field(key)?.unique) return;
  const detail = `must be id or a unique field, not ${key.slice(0, 80)}`;
  throw httpProblems.invalidParameter([{ parameter: 'key', code: 'NOT_UNIQUE', detail }]);
}
