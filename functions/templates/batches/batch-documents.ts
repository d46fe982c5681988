import { setTimeout as sleep } from 'node:timers/promises';
import type { StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { BatchResult } from '../domain/documents/batch-result.ts';
import { type Generation, isOpen } from '../domain/documents/generation.ts';
import { failureOf } from '../generations/generation-failures.ts';
import type { GenerationRun } from '../generations/generation-run.ts';
import type { GenerationService } from '../generations/generation-service.ts';
import { mayPass } from '../jobs/passing-errors.ts';
import type { TemplateJob } from '../jobs/template-jobs.ts';
import type { BatchRepository } from '../store/batch-repository.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import { type BatchRecord, type BatchRequest, inputOf, progressOf } from './batch.ts';

interface BatchDocumentsDependencies {
  readonly generationService: Pick<GenerationService, 'generate' | 'find'>;
  readonly generations: Pick<GenerationRepository, 'find'>;
  readonly run: Pick<GenerationRun, 'fail'>;
  readonly batches: BatchRepository;
  readonly machine: Clock;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Documents of one step, and how long one begins another. */
const MAX_DOCUMENTS = 20;
const MAX_STEP_MS = 20_000;
/** Pause after what may pass (ms). */
const PAUSE_MS = 3_000;
/** How often a record waits for a rendering that another run has begun. */
const MAX_ATTEMPTS = 60;
const IN_PROGRESS = 'GENERATION_IN_PROGRESS';

/** Generates the documents of a batch one after another, so that their numbers follow the records. */
export class BatchDocuments {
  readonly #deps: BatchDocumentsDependencies;

  constructor(dependencies: BatchDocumentsDependencies) {
    this.#deps = dependencies;
  }

  /** Generates what is next; what an interrupted step has generated counts. */
  async step(job: TemplateJob, request: BatchRequest): Promise<StepOutcome> {
    const { batches, machine, pause = sleep } = this.#deps;
    const { next, failed, tries } = progressOf(job);
    const total = request.records.length;
    const upTo = Math.min(next + MAX_DOCUMENTS, total);
    const earlier = await batches.between(job.id, next, upTo);
    const known = new Map(earlier.map((result) => [result.index, result]));
    const endsAt = machine.now() + MAX_STEP_MS;
    const outcome = (index: number, failures: number, attempts = 0): StepOutcome => ({
      ...{ isDone: false, processed: index - next, total },
      progress: { ...job.progress, next: index, failed: failures, tries: attempts },
    });
    let [index, failures] = [next, failed];
    for (; index < upTo && machine.now() < endsAt; index += 1) {
      const attempts = index === next ? tries : 0;
      const result = known.get(index) ?? (await this.#generate(job, request, { index, attempts }));
      if (!result) {
        await pause(PAUSE_MS);
        return outcome(index, failures, attempts + 1);
      }
      if (result.status === 'FAILED') failures += 1;
    }
    return outcome(index, failures);
  }

  /** @returns `undefined` when it is to be tried again */
  async #generate(
    job: TemplateJob,
    request: BatchRequest,
    place: { readonly index: number; readonly attempts: number },
  ): Promise<BatchResult | undefined> {
    const { batches, machine } = this.#deps;
    const { entityId, ...record } = request.records[place.index] ?? {};
    const made = await this.#resultOf(job, request, { entityId, ...record }, place);
    faultPoint('templates.after-document');
    if (!made) return undefined;
    const result: BatchResult = { index: place.index, entityId, ...made };
    await batches.save(job.id, result, machine.now());
    faultPoint('templates.after-result');
    return result;
  }

  async #resultOf(
    job: TemplateJob,
    { records: _records, file: _file, ...request }: BatchRequest,
    record: BatchRecord,
    { index, attempts }: { readonly index: number; readonly attempts: number },
  ): Promise<Pick<BatchResult, 'status' | 'generationId' | 'failure'> | undefined> {
    const { generationService, run } = this.#deps;
    const order = { ...request, ...record, idempotencyKey: keyOf(job, index) };
    const { principal } = inputOf(job);
    const options = { jobId: job.id, isTriedAgain: mayPass };
    try {
      const { generation } = await generationService.generate(
        ...([job.subject, order, principal, options] as const),
      );
      return { status: 'GENERATED', generationId: generation.id };
    } catch (error) {
      const generation = await this.#generationOf(job, index);
      if (isTriedAgain(error, generation, attempts)) return undefined;
      if (generation && isOpen(generation)) await run.fail(generation, error);
      return { status: 'FAILED', generationId: generation?.id, failure: failureOf(error) };
    }
  }

  async #generationOf({ subject: templateId, ...job }: TemplateJob, index: number) {
    const { generationService, generations } = this.#deps;
    const idempotencyKey = keyOf(job, index);
    const known = await generationService.find({ templateId, idempotencyKey, requestHash: '' });
    return known && generations.find(templateId, known.generationId);
  }
}

/** The key of a document: a repeated step finds what it has generated. No client sends a blank in one. */
const keyOf = ({ id }: Pick<TemplateJob, 'id'>, index: number): string => `batch ${id} ${index}`;

/** Whether a later attempt may succeed: an engine is busy, or another run of the job renders the document still. */
function isTriedAgain(
  error: unknown,
  generation: Generation | undefined,
  attempts: number,
): boolean {
  if (generation && !isOpen(generation)) return false;
  if (error instanceof Problem && error.code === IN_PROGRESS) return attempts < MAX_ATTEMPTS;
  return mayPass(error, { attempt: Math.max(attempts, generation?.attempt ?? 0) });
}
