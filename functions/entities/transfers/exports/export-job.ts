import { createHash } from 'node:crypto';
import {
  type Files,
  FileTooLargeError,
  type PartedFile,
  PartReplacedError,
} from '../../../../shared/files/files.ts';
import { JobFailure, type StepOutcome } from '../../../../shared/jobs/job.ts';
import { faultPoint } from '../../../../shared/primitives/fault-point.ts';
import type { EntityJob } from '../../jobs/job-service.ts';
import { CONTENT_TYPES } from './export-file.ts';
import type { ExportReader, LongExportRequest } from './export-reader.ts';

/** What is kept with a job `EXPORT`. */
export interface ExportInput extends LongExportRequest {
  /** Encrypted fields that the file leaves out. */
  readonly leftOut: readonly string[];
  /** Text that the call has read before it started the job. */
  readonly begun: {
    readonly staged: string;
    readonly count: number;
    readonly after?: string | undefined;
  };
}

/** Progress of an export between two steps. */
interface ExportProgress {
  readonly file: PartedFile;
  readonly count: number;
  /** Place in the walk over the records where the next step goes on. */
  readonly after?: string | undefined;
  /** Object with the text that is too short for a part. */
  readonly staged?: string | undefined;
  /** SHA-256 of that text: another run of the step may have written over it. */
  readonly stagedHash?: string | undefined;
  /** Encrypted fields that a step has left out. */
  readonly leftOut?: readonly string[];
  /** Grants by which the steps have read. */
  readonly grants?: readonly string[];
  /** Whether every part is written. */
  readonly isWritten?: boolean;
}

/** Parts of a file but the last have this size; S3 takes none below 5 MiB. */
const PART_BYTES = 6 * 1_024 * 1_024;
/** Most parts of a file: their entity tags are stored with the job, and an item holds 400 KB. */
const MAX_PARTS = 2_000;
/** Largest staged text: one is shorter than a part, or is what a call has read, up to its limit and one batch of records. */
const MAX_STAGED_BYTES = 256 * 1_024 * 1_024;
const MAX_RESTARTS = 3;
const STAGED_TYPE = 'application/octet-stream';

/** Object with text that becomes part of a file later. */
export const stagedAt = (id: string): string => `entities/exports/${id}.text`;
/** Steps write their texts to two objects by turns, so that a step that is repeated still finds the text that it began with. */
const turnsOf = ({ id }: EntityJob): [string, string] => [stagedAt(`${id}-a`), stagedAt(`${id}-b`)];
const objectOf = (job: EntityJob): string => `entities/exports/${job.id}.${inputOf(job).format}`;
const inputOf = ({ input }: EntityJob): ExportInput => input as unknown as ExportInput;

/** Writes an exported file in parts, one in each step. */
export class ExportJob {
  readonly #files: Files;
  readonly #reader: ExportReader;

  constructor({ files, exportReader }: { files: Files; exportReader: ExportReader }) {
    this.#files = files;
    this.#reader = exportReader;
  }

  /** The next step of a job `EXPORT`. */
  async step(job: EntityJob): Promise<StepOutcome> {
    const { file, ...progress } = job.progress as Partial<ExportProgress>;
    if (!file) return this.#begin(job);
    const begun = { count: 0, ...progress, file };
    try {
      return await (begun.isWritten ? this.#finish(job, begun) : this.#write(job, begun));
    } catch (error) {
      if (error instanceof FileTooLargeError) throw tooLarge();
      if (error instanceof PartReplacedError) return this.#restart(job, begun);
      throw error;
    }
  }

  /** Deletes what a job has written that was cancelled or has failed. */
  async clear(job: EntityJob): Promise<void> {
    const { file } = job.progress as Partial<ExportProgress>;
    if (file) await this.#files.dropParts(file);
    await this.#files.delete(objectOf(job));
    await this.#deleteTexts(job);
  }

  async #begin(job: EntityJob): Promise<StepOutcome> {
    const { format, begun } = inputOf(job);
    const file = await this.#files.beginParts(objectOf(job), CONTENT_TYPES[format]);
    return { isDone: false, processed: begun.count, progress: { ...begun, file } };
  }

  async #write(job: EntityJob, { file, ...progress }: ExportProgress): Promise<StepOutcome> {
    if (file.etags.length >= MAX_PARTS) throw tooLarge();
    const { chunks, bytes, isEnd, count, after, leftOut, grantedBy } = await this.#reader.read(
      {
        jobId: job.id,
        entity: job.subject,
        request: inputOf(job),
        text: await this.#textBefore(progress, file),
        count: progress.count,
        after: progress.after,
      },
      PART_BYTES,
    );
    const outcome = { isDone: false, processed: count - progress.count };
    const grants = union(progress.grants, grantedBy);
    const next = { count, after, leftOut: union(progress.leftOut, leftOut), grants };
    const text = Buffer.concat(chunks);
    if (!isEnd && bytes < PART_BYTES) {
      const [first, second] = turnsOf(job);
      const staged = progress.staged === first ? second : first;
      await this.#files.write(staged, text, STAGED_TYPE);
      faultPoint('entities.after-stage');
      return { ...outcome, progress: { ...next, file, staged, stagedHash: hashOf(text) } };
    }
    const longer = await this.#files.writePart(file, text);
    faultPoint('entities.after-part');
    return { ...outcome, progress: { ...next, file: longer, isWritten: isEnd } };
  }

  async #textBefore(
    { staged, stagedHash }: Pick<ExportProgress, 'staged' | 'stagedHash'>,
    { etags }: PartedFile,
  ): Promise<Uint8Array | undefined> {
    if (staged === undefined) return etags.length > 0 ? Buffer.alloc(0) : undefined;
    const text = await this.#files.read(staged, MAX_STAGED_BYTES);
    if (!text) throw new JobFailure('A part of the file is gone; start the export again.');
    if (stagedHash && stagedHash !== hashOf(text.body)) throw new PartReplacedError(staged);
    return text.body;
  }

  async #finish(job: EntityJob, { file, ...progress }: ExportProgress): Promise<StepOutcome> {
    await this.#files.finishParts(file);
    faultPoint('entities.after-finish');
    await this.#deleteTexts(job);
    const leftOut = union(inputOf(job).leftOut, progress.leftOut);
    return {
      isDone: true,
      result: {
        object: file.path,
        bytes: file.sizeBytes,
        ...(leftOut.length > 0 && { leftOut }),
      },
    };
  }

  /** Begins the file again after two runs of a step have written the same text or part, from records of different moments. */
  async #restart(job: EntityJob, { file, count }: ExportProgress): Promise<StepOutcome> {
    const restarts = Number(job.result.restarts ?? 0) + 1;
    if (restarts > MAX_RESTARTS) throw new JobFailure('The file was written by several runs.');
    await this.#files.dropParts(file);
    return { isDone: false, processed: -count, progress: {}, result: { restarts } };
  }

  async #deleteTexts(job: EntityJob): Promise<void> {
    const texts = [...turnsOf(job), inputOf(job).begun.staged];
    await Promise.all(texts.map((text) => this.#files.delete(text)));
  }
}

const hashOf = (text: Uint8Array): string => createHash('sha256').update(text).digest('hex');

const union = (one: readonly string[] = [], other: readonly string[] = []): readonly string[] => [
  ...new Set([...one, ...other]),
];

const tooLarge = (): JobFailure =>
  new JobFailure('The file would be too large; export fewer records.');
