import type { Files } from '../../../shared/files/files.ts';
import type { StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { add, type ImportCounts, MAX_ERRORS, NOTHING } from '../domain/transfer/import-counts.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { JobNotes } from '../rehearsals/job-notes.ts';
import type { KeptRehearsals } from '../rehearsals/kept-rehearsals.ts';
import type { ImportPlaces, RowNotes } from '../store/jobs/import-places.ts';
import { type FilePosition, ImportFile } from './import-file.ts';
import { linesOfJson, linesPath } from './json-to-lines.ts';
import type { ImportRequest, RowImport } from './row-import.ts';
import { NO_ROWS, RowLedger } from './row-ledger.ts';

/** What is kept with a job `IMPORT`. */
export interface ImportInput extends ImportRequest {
  readonly object: string;
  readonly principal?: Principal;
  readonly total?: number;
  /** What the call has imported that started the job. */
  readonly begun?: RowNotes;
}

interface ImportProgress extends FilePosition {
  /** Rows behind its place that have a result. */
  readonly done: RowNotes['done'];
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
  readonly places: ImportPlaces;
  readonly files: Files;
  readonly clock: Clock;
}

/** A step begins no further row after this time, nor when so many errors are to be noted with each change. */
const STEP_MS = 10_000;
const STEP_ERRORS = 20;

/** Imports a stored file, some rows in each step. */
export class ImportJob {
  readonly #deps: ImportJobDependencies;

  constructor(dependencies: ImportJobDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `IMPORT`. An invalid file fails it. */
  async step(job: EntityJob): Promise<StepOutcome> {
    const { format, object } = inputOf(job);
    const progress = progressOf(job);
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
    const { isInLines, slot, done, ...from } = progressOf(job);
    const { rowImport, keptRehearsals } = this.#deps;
    const kept = { job: job.id, slot };
    const rehearsal = request.dryRun ? await keptRehearsals.open(kept, request.mode) : undefined;
    const { rows, ends, isLast } = await file.chunk(from);
    const before = { ...NOTHING, ...begun?.counts, ...job.result } as ImportCounts;
    const ledger = await this.#ledger(job, from.row + 1, { done, counts: before });
    const circumstances = { ledger, isStep: true, rehearsal };
    await rowImport.import(model, rows, request, principal, circumstances);
    const result = add(before, ledger.notes.counts);
    const isWhole = rows.every(({ row }) => ledger.has(row));
    const isRead = isLast && isWhole;
    const next = (isWhole && ends.at(-1)) || from;
    const nextSlot =
      rehearsal && !isRead
        ? await keptRehearsals.keep(model, kept, rehearsal, request.mode)
        : undefined;
    const total = known ?? (isRead ? next.row : undefined);
    return {
      isDone: false,
      processed: result.created + result.updated + result.failed - job.processed,
      ...(total === undefined ? {} : { total }),
      progress: {
        ...{
          ...next,
          done: ledger.doneFrom(next.row + 1),
          isRead,
          ...(isInLines && { isInLines }),
        },
        ...(nextSlot !== undefined && { slot: nextSlot }),
      },
      result: { ...result, ...(rehearsal?.overlay.isExact === false && INEXACT) },
    };
  }

  /** The rows of a step, as an interrupted run of it has left them. */
  async #ledger(job: EntityJob, first: number, before: RowNotes): Promise<RowLedger> {
    const { places, clock } = this.#deps;
    const endsAt = clock.now() + STEP_MS;
    const isLate = ({ errors }: ImportCounts): boolean =>
      clock.now() >= endsAt || errors.length >= STEP_ERRORS;
    const common = { first, isLate, maxErrors: MAX_ERRORS - before.counts.errors.length };
    const notes = { done: before.done, counts: NOTHING };
    if (inputOf(job).dryRun) return new RowLedger({ ...common, notes });
    const step = `${first}/${before.done}`;
    const stored = await places.load(job.id);
    let version = stored?.version ?? 0;
    const otherwise = (): Error => new Error('Another run of the job has been faster');
    return new RowLedger({
      ...common,
      notes: stored?.step === step ? stored.notes : notes,
      stage: (unit, next) => {
        const place = { version: version + 1, step, notes: next };
        places.stage(unit, job.id, place, { nowMs: clock.now(), otherwise });
        unit.afterCommit(async () => {
          version += 1;
        });
      },
    });
  }
}

/** Marks the result of a dry run that has forgotten what it may have needed. */
const INEXACT = { exact: false };

const inputOf = ({ input }: EntityJob): ImportInput => input as unknown as ImportInput;

const progressOf = (job: EntityJob): ImportProgress => ({
  ...{ byte: 0, row: 0, done: inputOf(job).begun?.done ?? NO_ROWS.done },
  ...job.progress,
});
