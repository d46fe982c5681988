import type { Files } from '../../../shared/files/files.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { TemplateCatalog } from '../catalog/template-catalog.ts';
import {
  finalPath,
  type Generation,
  hasOutput,
  isOpen,
  type Output,
} from '../domain/documents/generation.ts';
import { cancelled, finalized } from '../domain/documents/generation-changes.ts';
import { problems } from '../errors.ts';
import type { GenerationFilter, GenerationRepository } from '../store/generation-repository.ts';
import type { GenerationEvents } from './generation-events.ts';
import type { GenerationRun } from './generation-run.ts';
import type { RenderingJobs } from './generation-sweep.ts';

interface GenerationLifecycleDependencies {
  readonly catalog: TemplateCatalog;
  readonly generations: GenerationRepository;
  readonly events: GenerationEvents;
  readonly run: GenerationRun;
  readonly jobs: RenderingJobs;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  readonly linkSeconds: number;
}

/** What becomes of generations once they are there. */
export class GenerationLifecycle {
  readonly #deps: GenerationLifecycleDependencies;

  constructor(dependencies: GenerationLifecycleDependencies) {
    this.#deps = dependencies;
  }

  /** Newest first. @throws Problem `TEMPLATE_NOT_FOUND` (404) */
  async list(
    templateId: string,
    filter: GenerationFilter,
    page: PageRequest,
    principal: Pick<Principal, 'tenant'>,
  ): Promise<ReadPage<Generation>> {
    await this.#deps.catalog.get(templateId, principal);
    return this.#deps.generations.list(templateId, filter, page);
  }

  /** @throws Problem `GENERATION_NOT_FOUND` (404), also for those of another tenant */
  async get(
    templateId: string,
    id: string,
    { tenant = '' }: Pick<Principal, 'tenant'>,
  ): Promise<Generation> {
    const generation = await this.#deps.generations.find(templateId, id);
    if (generation?.tenant !== tenant) throw problems.generationNotFound({ id });
    return generation;
  }

  /** The same, for who waits for its end: a job that was interrupted goes on. @throws Problem as `get` */
  async poll(
    templateId: string,
    id: string,
    principal: Pick<Principal, 'tenant'>,
  ): Promise<Generation> {
    const generation = await this.get(templateId, id, principal);
    if (isOpen(generation)) await this.#deps.jobs.renders(generation);
    return generation;
  }

  /** A link that downloads the output for some time; none without one. */
  async link({ output, fileName }: Pick<Generation, 'output' | 'fileName'>) {
    if (!output) return undefined;
    const { files, linkSeconds } = this.#deps;
    const { path, contentType } = output;
    return files.downloadLink(path, { fileName, contentType, expiresInSeconds: linkSeconds });
  }

  /**
   * The output is what it will always be; again: nothing.
   * @throws Problem `GENERATION_NOT_FOUND` (404), `GENERATION_NOT_READY` (409)
   */
  async finalize(templateId: string, id: string, principal: Principal): Promise<Generation> {
    const { unitOfWork, generations, events, files, run } = this.#deps;
    const next = await unitOfWork(async (unit) => {
      const generation = await this.get(templateId, id, principal);
      if (generation.status === 'FINALIZED') return generation;
      const { output } = generation;
      if (!hasOutput(generation) || !output) {
        throw problems.generationNotReady({ id, status: generation.status });
      }
      const kept: Output = { ...output, path: finalPath(generation) };
      if (!(await files.copy(output.path, kept.path))) {
        throw new Error(`The output ${output.path} is gone`);
      }
      const final = finalized(generation, run.moment(), principal.id, kept);
      generations.stage(unit, final, 'retry');
      await events.send('finalized', final, principal.id);
      unit.afterCommit(() => run.clean(final));
      return final;
    });
    return next;
  }

  /**
   * The output goes, old versions of it too; again: nothing.
   * @throws Problem `GENERATION_NOT_FOUND` (404), `GENERATION_FINALIZED` (409)
   */
  async cancel(templateId: string, id: string, principal: Principal): Promise<Generation> {
    const { unitOfWork, generations, events, files, run } = this.#deps;
    return unitOfWork(async (unit) => {
      const generation = await this.get(templateId, id, principal);
      if (generation.status === 'CANCELLED') return generation;
      if (generation.status === 'FINALIZED') throw problems.generationFinalized({ id });
      const next = cancelled(generation, run.moment(), principal.id);
      generations.stage(unit, next, 'retry');
      await events.send('cancelled', next, principal.id);
      unit.afterCommit(async () => {
        // A rendering may still write: the sweep deletes that once its lease has ended.
        if (!isOpen(generation)) return run.clean(next);
        for (const path of next.remains ?? []) await files.delete(path);
      });
      return next;
    });
  }
}
