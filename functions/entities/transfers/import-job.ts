import type { Files } from '../../../shared/files/files.ts';
import type { StepOutcome } from '../../../shared/jobs/job.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { add, type ImportCounts, NOTHING } from '../domain/transfer/import-counts.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { JobNotes } from '../rehearsals/job-notes.ts';
import type { KeptRehearsals } from '../rehearsals/kept-rehearsals.ts';
import { type FilePosition, ImportFile } from './import-file.ts';
import { type ImportRow, withId } from './import-rows.ts';
import { linesOfJson, linesPath } from './json-to-lines.ts';
import type { ImportRequest, RowImport } from './row-import.ts';
import type { Attempt } from './stored-rows.ts';

/** What is kept with a job `IMPORT`. */
export interface ImportInput extends ImportRequest {
  readonly object: string;
  readonly principal?: Principal;
  readonly total?: number;
  /** What the call has imported that started the job. */
  readonly begun?: { readonly place: FilePosition; readonly counts: ImportCounts };
}

interface ImportProgress extends Partial<FilePosition> {
  /** Whether every row was read. */
  readonly isRead?: boolean;
  /** Whether a JSON file has been rewritten as lines. */
  readonly isInLines?: boolean;
  /** Where a dry run is kept. */
  readonly slot?: number;
}

export interface ImportJobDependencies {
  readonly catalog: EntityCatalog;
  readonly rowImport: RowImport;
  readonly keptRehearsals: KeptRehearsals;
  readonly notes: Pick<JobNotes, 'clear'>;
  readonly files: Files;
  readonly clock: Clock;
}

/** A step begins no further block of rows after this time. */
const STEP_MS = 10_000;
/** And no further row: steps begin within 60 s of the 120 s of a function, and count as interrupted after 150 s. */
const MAX_STEP_MS = 40_000;
/** Most that the clocks of two environments differ. */
const CLOCK_SKEW_MS = 60_000;

/** Imports a stored file, some rows in each step. */
export class ImportJob {
  readonly #deps: ImportJobDependencies;

  constructor(dependencies: ImportJobDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `IMPORT`. An invalid file fails it. */
  async step(job: EntityJob): Promise<StepOutcome> {
    const { format, object } = inputOf(job);
    const progress = job.progress as ImportProgress;
    if (progress.isRead) {
      await this.clear(job);
      return { isDone: true };
    }
    if (format === 'json' && !progress.isInLines) return this.#toLines(job);
    const model = await this.#deps.catalog.load(job.subject);
    const file =
      format === 'json'
        ? { object: linesPath(object), format: 'ndjson' as const }
        : { object, format };
    return this.#import(job, model, new ImportFile(this.#deps.files, model, file));
  }

  /** Deletes the file; what was imported stays. */
  async clear(job: EntityJob): Promise<void> {
    const { format, object } = inputOf(job);
    await this.#deps.files.delete(object);
    if (format === 'json') await this.#deps.files.delete(linesPath(object));
    if (inputOf(job).dryRun) await this.#deps.notes.clear(job.id);
  }

  /** A JSON file is read as a whole once; its lines are read from where a step begins. */
  async #toLines(job: EntityJob): Promise<StepOutcome> {
    const { files } = this.#deps;
    const { object } = inputOf(job);
    const { lines, count } = await linesOfJson(files, object);
    await files.write(linesPath(object), lines, 'application/x-ndjson');
    return { isDone: false, total: count, progress: { isInLines: true } };
  }

  async #import(job: EntityJob, model: EntityModel, file: ImportFile): Promise<StepOutcome> {
    const { principal = systemPrincipal, total: known, begun, ...request } = inputOf(job);
    const { isInLines, slot, ...place } = job.progress as ImportProgress;
    const from = { ...(begun?.place ?? { byte: 0, row: 0 }), ...place };
    const { clock, rowImport, keptRehearsals } = this.#deps;
    const startedAt = clock.now();
    const kept = { job: job.id, slot };
    const rehearsal = request.dryRun ? await keptRehearsals.open(kept, request.mode) : undefined;
    const { rows, ends, isLast } = await file.chunk(from);
    const { counts, taken } = await rowImport.import(
      model,
      withIds(rows, job.id),
      request,
      principal,
      {
        attempt: {
          ...attemptOf(job, file, from),
          isLate: () => clock.now() >= startedAt + STEP_MS,
          isOver: () => clock.now() >= startedAt + MAX_STEP_MS,
        },
        rehearsal,
      },
    );
    const before = { ...NOTHING, ...begun?.counts, ...job.result } as ImportCounts;
    const next = ends[taken - 1] ?? from;
    const isRead = isLast && taken === rows.length;
    // Which rows are tried again together depends on the time then.
    if (rehearsal && taken < rows.length) rehearsal.overlay.isExact = false;
    const nextSlot =
      rehearsal && !isRead
        ? await keptRehearsals.keep(model, kept, rehearsal, request.mode)
        : undefined;
    const total = known ?? (isRead ? next.row : undefined);
    return {
      isDone: false,
      processed: next.row - (place.row ?? 0),
      ...(total === undefined ? {} : { total }),
      progress: {
        ...{ ...next, isRead, ...(isInLines && { isInLines }) },
        ...(nextSlot !== undefined && { slot: nextSlot }),
      },
      result: { ...add(before, counts), ...(rehearsal?.overlay.isExact === false && INEXACT) },
    };
  }
}

/** Marks the result of a dry run that has forgotten what it may have needed. */
const INEXACT = { exact: false };

const inputOf = ({ input }: EntityJob): ImportInput => input as unknown as ImportInput;

function withIds(rows: readonly ImportRow[], jobId: string): ImportRow[] {
  const ids = new Set<unknown>();
  return rows.map((row) => {
    const id = typeof row.body.id === 'string' ? row.body.id.toLowerCase() : row.body.id;
    const isFirst = id === undefined || !ids.has(id);
    ids.add(id);
    return { ...withId(row, jobId), isFirst };
  });
}

/** What tells records that an interrupted run of this step has stored from older ones: they were made after the step before it ended. */
function attemptOf(
  { createdAt, updatedAt }: EntityJob,
  file: ImportFile,
  { row }: FilePosition,
): Attempt {
  const begun = toInstant(Date.parse(updatedAt) - CLOCK_SKEW_MS);
  return {
    since: begun > createdAt ? begun : createdAt,
    earlier: (ids) => file.idsBefore(row, ids),
    made: new Set(),
  };
}
