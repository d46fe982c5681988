import type { Files } from '../../../shared/files/files.ts';
import { JobFailure } from '../../../shared/jobs/job.ts';

/** Larger than every body that is taken. */
const MAX_REQUEST_BYTES = 16 * 1_024 * 1_024;

/** Path of the request of a job; a request that is never deleted expires. */
const pathOf = (jobId: string): string => `templates/requests/${jobId}.json`;

/** Requests that jobs work on: their values may be larger than an item. */
export class StoredRequests<T extends object> {
  readonly #files: Pick<Files, 'read' | 'write' | 'delete'>;

  constructor(files: Pick<Files, 'read' | 'write' | 'delete'>) {
    this.#files = files;
  }

  async write(jobId: string, request: T): Promise<void> {
    const body = Buffer.from(JSON.stringify(request));
    await this.#files.write(pathOf(jobId), body, 'application/json');
  }

  /** @throws JobFailure when it is gone */
  async read(jobId: string): Promise<T> {
    const stored = await this.#files.read(pathOf(jobId), MAX_REQUEST_BYTES);
    if (!stored) throw new JobFailure('The request of the job is gone; send it again.');
    return JSON.parse(Buffer.from(stored.body).toString()) as T;
  }

  async delete(jobId: string): Promise<void> {
    await this.#files.delete(pathOf(jobId));
  }
}
