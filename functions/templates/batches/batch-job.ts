import type { StepOutcome } from '../../../shared/jobs/job.ts';
import type { TenantClock } from '../../../shared/primitives/clock.ts';
import type { StoredRequests } from '../jobs/stored-requests.ts';
import type { TemplateJob } from '../jobs/template-jobs.ts';
import { type BatchRequest, inputOf, progressOf } from './batch.ts';
import type { BatchDocuments } from './batch-documents.ts';
import type { BatchFile } from './batch-file.ts';

interface BatchJobDependencies {
  readonly batchRequests: StoredRequests<BatchRequest>;
  readonly batchDocuments: BatchDocuments;
  readonly batchFile: BatchFile;
  readonly tenantClock: Pick<TenantClock, 'at'>;
}

/** Generates documents for many records, then puts them into one file. */
export class BatchJob {
  readonly #deps: BatchJobDependencies;

  constructor(dependencies: BatchJobDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `BATCH`. */
  async step(job: TemplateJob): Promise<StepOutcome> {
    const { total, principal } = inputOf(job);
    return this.#deps.tenantClock.at(principal.tenant, async () => {
      if (progressOf(job).next < total) return this.#generate(job);
      const outcome = await this.#deps.batchFile.step(job);
      if (outcome.isDone) await this.#deps.batchRequests.delete(job.id);
      return outcome;
    });
  }

  /** Deletes what a cancelled or failed batch has left besides its documents. */
  async clear(job: TemplateJob): Promise<void> {
    await this.#deps.batchFile.clear(job);
    await this.#deps.batchRequests.delete(job.id);
  }

  async #generate(job: TemplateJob): Promise<StepOutcome> {
    const { batchRequests, batchDocuments } = this.#deps;
    return batchDocuments.step(job, await batchRequests.read(job.id));
  }
}
