import type { StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock, TenantClock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { type Generation, isOpen } from '../domain/documents/generation.ts';
import type { GenerationRun } from '../generations/generation-run.ts';
import type { DocumentRequest, Preparation } from '../generations/preparation.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import { mayPass } from './passing-errors.ts';
import type { StoredRequests } from './stored-requests.ts';
import type { TemplateJob } from './template-jobs.ts';

/** What is kept with a job `DOCUMENT`. */
export interface DocumentJobInput {
  readonly generationId: string;
  /** Whose rights decide which values the document shows. */
  readonly principal: Principal;
}

interface DocumentJobDependencies {
  readonly generations: GenerationRepository;
  readonly preparation: Preparation;
  readonly run: GenerationRun;
  readonly requests: StoredRequests<DocumentRequest>;
  readonly machine: Clock;
  readonly tenantClock: Pick<TenantClock, 'at'>;
}

/** Pause after what may pass (ms). */
const PAUSE_MS = 5_000;

/** Renders a generation after its call has been answered. */
export class DocumentJob {
  readonly #deps: DocumentJobDependencies;

  constructor(dependencies: DocumentJobDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `DOCUMENT`: renders, or waits until another rendering has ended. */
  async step(job: TemplateJob): Promise<StepOutcome> {
    const { machine, tenantClock } = this.#deps;
    const generation = await this.#find(job);
    if (!generation) return this.#end(job);
    const now = machine.now();
    if (generation.status === 'RENDERING' && now <= generation.leaseUntil) {
      return { isDone: false, pauseMs: generation.leaseUntil - now + 1 };
    }
    const { principal } = inputOf(job);
    return tenantClock.at(principal.tenant, () => this.#render(job, generation));
  }

  /** Ends the generation of a job that has failed. */
  async clear(job: TemplateJob): Promise<void> {
    const generation = await this.#find(job);
    if (generation) await this.#deps.run.interrupt(generation);
    await this.#deps.requests.delete(job.id);
  }

  async #render(job: TemplateJob, generation: Generation): Promise<StepOutcome> {
    const { preparation, run, requests } = this.#deps;
    const { templateId, fileVersion } = generation;
    const request = { ...(await requests.read(job.id)), fileVersion };
    try {
      const { principal } = inputOf(job);
      const prepared = await preparation.prepare(templateId, request, principal);
      const done = await run.run(generation, prepared, { isTriedAgain: mayPass });
      faultPoint('templates.after-render');
      // Somebody else has taken it over: the next step sees what became of it.
      return done ? this.#end(job) : { isDone: false };
    } catch (error) {
      const now = await this.#find(job);
      if (!now) return this.#end(job);
      if (mayPass(error, now)) return { isDone: false, pauseMs: PAUSE_MS };
      await run.fail(now, error);
      return this.#end(job);
    }
  }

  /** The generation, as long as it waits for this job. */
  async #find(job: TemplateJob): Promise<Generation | undefined> {
    const { generationId } = inputOf(job);
    const generation = await this.#deps.generations.find(job.subject, generationId);
    return generation && isOpen(generation) && generation.jobId === job.id ? generation : undefined;
  }

  async #end(job: TemplateJob): Promise<StepOutcome> {
    await this.#deps.requests.delete(job.id);
    return { isDone: true };
  }
}

const inputOf = ({ input }: TemplateJob): DocumentJobInput => input as unknown as DocumentJobInput;
