import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { KeptCall } from '../../../shared/security/kept-call.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type Generation, hasOutput, isOpen } from '../domain/documents/generation.ts';
import { deferred } from '../domain/documents/generation-changes.ts';
import type { GenerationRun } from '../generations/generation-run.ts';
import type {
  GenerateOutcome,
  GenerateRequest,
  GenerationService,
} from '../generations/generation-service.ts';
import type { GenerationStarter } from '../generations/generation-starter.ts';
import type { DocumentRequest, Preparation } from '../generations/preparation.ts';
import { isAnswer, marked } from '../generations/replays.ts';
import type { PdfPrinter } from '../generations/writing/pdf-printer.ts';
import { type GenerationRepository, unlessChanged } from '../store/generation-repository.ts';
import { hashOf, type KnownCall } from '../store/idempotency-repository.ts';
import type { DocumentJobInput } from './document-job.ts';
import type { StoredRequests } from './stored-requests.ts';
import type { TemplateJobs } from './template-jobs.ts';

interface DeferredDocumentsDependencies {
  readonly generationService: Pick<GenerationService, 'find'>;
  readonly generations: GenerationRepository;
  readonly preparation: Preparation;
  readonly printer: Pick<PdfPrinter, 'check'>;
  readonly starter: GenerationStarter;
  readonly run: GenerationRun;
  readonly jobs: TemplateJobs;
  readonly requests: StoredRequests<DocumentRequest>;
  readonly unitOfWork: RunUnitOfWork;
  readonly machine: Clock;
  readonly ids: IdGenerator;
}

/** How long other calls leave a generation to its job (ms). */
const PATIENCE_MS = 15 * 60_000;

/** Documents that are generated after the call has been answered, each once for its keys. */
export class DeferredDocuments {
  readonly #deps: DeferredDocumentsDependencies;

  constructor(dependencies: DeferredDocumentsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Starts a generation; what is wrong with the request is said at once.
   * @throws Problem as `Preparation.prepare`, `PdfPrinter.check`; `IDEMPOTENCY_KEY_REUSED` (422)
   */
  async start(
    templateId: string,
    { idempotencyKey, ...request }: GenerateRequest,
    principal: Principal,
    header?: KeptCall,
  ): Promise<GenerateOutcome> {
    const { generationService, preparation, printer, starter } = this.#deps;
    const keys = { templateId, idempotencyKey, header, requestHash: hashOf(request) };
    const gone: string[] = [];
    for (let known = await generationService.find(keys); ; ) {
      if (known) {
        const now = await this.#outcomeOf(templateId, known, request, principal);
        if (now) return { generation: marked(now, known.isSame), isReplay: true };
        gone.push(known.generationId);
        known = await generationService.find(keys, gone);
        if (known) continue;
      }
      const prepared = await preparation.prepare(templateId, request, principal);
      if (request.outputFormat === 'PDF') printer.check(request.pdf ?? {});
      const jobId = await this.#keep(request);
      const started = await starter.start(prepared, keys, principal, {
        ...{ gone, patienceMs: PATIENCE_MS, jobId },
        also: (generation) => this.#startJob(generation, principal, jobId),
      });
      if (!('generationId' in started)) return { generation: started, isReplay: false };
      known = started;
    }
  }

  /** What the keys of a call stand for already. */
  async #outcomeOf(
    templateId: string,
    known: KnownCall,
    request: DocumentRequest,
    principal: Principal,
  ): Promise<Generation | undefined> {
    const earlier = await this.#deps.generations.find(templateId, known.generationId);
    if (!earlier || !isAnswer(earlier, known, principal)) return undefined;
    return this.#again(earlier, known, request, principal);
  }

  /**
   * What an earlier call has generated or is at; one that has failed, or whose function is gone, is begun again.
   * @returns `undefined` when it was of another request
   */
  async #again(
    earlier: Generation,
    { isSame }: KnownCall,
    { fileVersion: _newest, ...request }: DocumentRequest,
    principal: Principal,
  ): Promise<Generation | undefined> {
    const { generations, unitOfWork, run } = this.#deps;
    const { templateId, id } = earlier;
    for (let now: Generation | undefined = earlier; now; ) {
      if (hasOutput(now) || now.status === 'CANCELLED') return now;
      if (await this.#isRendered(now)) return now;
      if (!isSame) return this.#end(now);
      const jobId = await this.#keep({ ...request, outputFormat: now.format });
      const next = deferred(now, run.moment(), { jobId, patienceMs: PATIENCE_MS });
      const saved = await unlessChanged(() =>
        unitOfWork(async (unit) => {
          generations.stage(unit, next);
          await this.#startJob(next, principal, jobId);
          return next;
        }),
      );
      if (saved) return saved;
      now = await generations.find(templateId, id);
    }
    return earlier;
  }

  /** Whether a call or a job is at it still. */
  async #isRendered(generation: Generation): Promise<boolean> {
    const { jobs, machine } = this.#deps;
    if (!isOpen(generation)) return false;
    return machine.now() <= generation.leaseUntil || jobs.renders(generation);
  }

  /** What another request has asked for is not made of this one. */
  async #end(generation: Generation): Promise<undefined> {
    if (isOpen(generation)) await this.#deps.run.interrupt(generation);
  }

  async #keep(request: DocumentRequest): Promise<string> {
    const { ids, requests } = this.#deps;
    const jobId = ids();
    await requests.write(jobId, request);
    return jobId;
  }

  async #startJob({ id, templateId }: Generation, principal: Principal, jobId: string) {
    const input: DocumentJobInput = { generationId: id, principal };
    await this.#deps.jobs.start('DOCUMENT', templateId, { ...input }, principal, jobId);
  }
}
