import type { Files } from '../../../shared/files/files.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { ImportCounts } from '../domain/transfer/import-counts.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import { readBodies, type SentFile } from './import-rows.ts';
import { toLines } from './json-to-lines.ts';
import type { RowImport, RowImportRequest } from './row-import.ts';

export interface ImportServiceDependencies {
  readonly access: EntityAccess;
  readonly rowImport: RowImport;
  readonly jobs: JobService;
  readonly files: Files;
  readonly ids: IdGenerator;
}

/** Rows that are imported within one answer. */
const MAX_INLINE_ROWS = 500;

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
    const { files, ids, jobs, rowImport } = this.#deps;
    await this.check(model, how, principal);
    const bodies = await readBodies(model, sent);
    if (bodies.length <= MAX_INLINE_ROWS) {
      const rows = bodies.map((body, at) => ({ row: at + 1, body }));
      return (await rowImport.import(model, rows, how, principal)).counts;
    }
    const file = 'bytes' in sent ? sent : { bytes: toLines(bodies), format: 'ndjson' as const };
    const object = `entities/imports/${ids()}.${file.format}`;
    await files.write(object, file.bytes, 'application/octet-stream');
    const input = { ...how, format: file.format, object, principal, total: bodies.length };
    return { job: await jobs.start('IMPORT', model.code, input, principal) };
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

/** @throws Problem `INVALID_PARAMETER` (400) for a field that several records may share */
function checkKey(model: EntityModel, key: string): void {
  if (key === 'id' || model.field(key)?.unique) return;
  const detail = `must be id or a unique field, not ${key.slice(0, 80)}`;
  throw httpProblems.invalidParameter([{ parameter: 'key', code: 'NOT_UNIQUE', detail }]);
}
