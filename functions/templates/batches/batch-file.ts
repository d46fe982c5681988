import {
  type Files,
  FileTooLargeError,
  type PartedFile,
  PartReplacedError,
} from '../../../shared/files/files.ts';
import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { Generation, Output } from '../domain/documents/generation.ts';
import type { TemplateJob } from '../jobs/template-jobs.ts';
import type { BatchRepository } from '../store/batch-repository.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { batchPath, inputOf, progressOf } from './batch.ts';
import { mergePdfs, TooManyObjectsError } from './merge-pdfs.ts';

interface BatchFileDependencies {
  readonly batches: Pick<BatchRepository, 'between'>;
  readonly generations: Pick<GenerationRepository, 'find'>;
  readonly files: Files;
}

/** Largest document that is read. */
const MAX_DOCUMENT_BYTES = 64 * 1_024 * 1_024;
/** Documents of an archive: they pass through the function within one step. */
const MAX_ARCHIVE_BYTES = 512 * 1_024 * 1_024;
/** Documents of one PDF: they are in memory together. */
const MAX_PDF_BYTES = 64 * 1_024 * 1_024;
const MAX_RESTARTS = 3;

/** A document, and its name in the archive. */
interface Entry {
  readonly name: string;
  readonly output: Output;
}

/** Puts the documents of a batch into one file. */
export class BatchFile {
  readonly #deps: BatchFileDependencies;

  constructor(dependencies: BatchFileDependencies) {
    this.#deps = dependencies;
  }

  /** The next step once all documents are generated. */
  async step(job: TemplateJob): Promise<StepOutcome> {
    try {
      return await (inputOf(job).file === 'PDF' ? this.#merge(job) : this.#archive(job));
    } catch (error) {
      if (error instanceof FileTooLargeError || error instanceof TooManyObjectsError) {
        throw tooLarge();
      }
      if (error instanceof PartReplacedError) return this.#restart(job);
      throw error;
    }
  }

  /** Deletes what was written. */
  async clear(job: TemplateJob): Promise<void> {
    const { archive } = progressOf(job);
    if (archive) await this.#deps.files.dropParts(archive);
    await this.#deps.files.delete(batchPath(job));
  }

  async #merge(job: TemplateJob): Promise<StepOutcome> {
    const entries = await this.#entries(job, MAX_PDF_BYTES);
    if (entries.length === 0) return finished(job);
    const bytes = await mergePdfs(this.#contents(entries), new Date(job.createdAt));
    await this.#deps.files.write(batchPath(job), bytes, 'application/pdf');
    faultPoint('templates.after-merge');
    return finished(job, bytes.length);
  }

  async #archive(job: TemplateJob): Promise<StepOutcome> {
    const { files } = this.#deps;
    const { archive, isWritten } = progressOf(job);
    if (archive && isWritten) {
      await files.finishParts(archive);
      faultPoint('templates.after-archive');
      return finished(job, archive.sizeBytes);
    }
    const entries = await this.#entries(job, MAX_ARCHIVE_BYTES);
    if (entries.length === 0) return finished(job);
    const progress = archive
      ? { archive: await this.#write(job, archive, entries), isWritten: true }
      : { archive: await files.beginParts(batchPath(job), 'application/zip') };
    return { isDone: false, progress: { ...job.progress, ...progress } };
  }

  async #write(job: TemplateJob, archive: PartedFile, entries: readonly Entry[]) {
    const writer = new ArchiveWriter(this.#deps.files, archive, new Date(job.createdAt));
    let at = 0;
    for await (const content of this.#contents(entries)) {
      await writer.add(entries[at]?.name ?? '', content);
      at += 1;
    }
    return writer.end();
  }

  /** Two runs have written parts, perhaps of documents that were edited between: neither counts. */
  async #restart(job: TemplateJob): Promise<StepOutcome> {
    const restarts = Number(job.result.restarts ?? 0) + 1;
    if (restarts > MAX_RESTARTS) throw new JobFailure('The file was written by several runs.');
    const { archive, isWritten: _written, ...progress } = progressOf(job);
    if (archive) await this.#deps.files.dropParts(archive);
    return { isDone: false, progress: { ...progress }, result: { restarts } };
  }

  /** The documents that there are, in the order of the records; those that somebody has cancelled are left out. */
  async #entries(job: TemplateJob, maxBytes: number): Promise<readonly Entry[]> {
    const { batches, generations } = this.#deps;
    const entries: Entry[] = [];
    for (const { index, generationId } of await batches.between(job.id, 0, inputOf(job).total)) {
      if (generationId === undefined) continue;
      const generation = await generations.find(job.subject, generationId);
      if (generation?.output) entries.push(entryOf(index, generation, generation.output));
    }
    const bytes = entries.reduce((sum, { output }) => sum + output.sizeBytes, 0);
    if (bytes > maxBytes) throw tooLarge();
    return entries;
  }

  async *#contents(entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
    for (const { output } of entries) {
      const stored = await this.#deps.files.read(output.path, MAX_DOCUMENT_BYTES);
      // It was edited or cancelled after its path was read: the next attempt sees that.
      if (!stored) throw new Error(`The document ${output.path} is gone`);
      yield stored.body;
    }
  }
}

/** A number keeps the order of the records, and names apart that are equal. */
const entryOf = (index: number, { fileName }: Generation, output: Output): Entry => ({
  name: `${String(index + 1).padStart(4, '0')}_${fileName}`,
  output,
});

const finished = (job: TemplateJob, bytes?: number): StepOutcome => ({
  isDone: true,
  ...(bytes !== undefined && { result: { object: batchPath(job), bytes } }),
});

const tooLarge = (): JobFailure =>
  new JobFailure('The documents are too large for one file; download them one by one.', {
    code: 'BATCH_TOO_LARGE',
  });
