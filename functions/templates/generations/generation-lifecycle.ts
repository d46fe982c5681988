import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
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
    const { unitOfWork, generations, events, run } = this.#deps;
    return unitOfWork(async (unit) => {
      for (;;) {
        const generation = await this.get(templateId, id, principal);
        if (generation.status === 'FINALIZED') return generation;
        const kept = await this.#kept(generation);
        if (!kept) continue;
        const final = finalized(generation, run.moment(), principal.id, kept);
        generations.stage(unit, final, 'retry');
        await events.send('finalized', final, principal.id);
        unit.afterCommit(() => run.deleteRemains(final));
        return final;
      }
    });
  }

  /**
   * The output where nothing is written over it; `undefined` when another call has cancelled or finalized it meanwhile. An
   * editor may have written a file without its hash yet: that of the copy counts.
   */
  async #kept(generation: Generation): Promise<Output | undefined> {
    const { files, generations } = this.#deps;
    const { templateId, id, status, output, format } = generation;
    if (!hasOutput(generation) || !output) throw problems.generationNotReady({ id, status });
    const path = finalPath(generation);
    if (await files.copy(output.path, path)) {
      const edited = format === 'DOCX' ? await hashFile(files, path) : undefined;
      return { ...output, path, ...edited };
    }
    const now = await generations.find(templateId, id);
    if (now?.version === generation.version) throw new Error(`The output ${output.path} is gone`);
    return undefined;
  }

  /**
   * The output goes, old versions of it too; again: nothing.
   * @throws Problem `GENERATION_NOT_FOUND` (404), `GENERATION_FINALIZED` (409)
   */
  async cancel(templateId: string, id: string, principal: Principal): Promise<Generation> {
    const { unitOfWork, generations, events, run } = this.#deps;
    return unitOfWork(async (unit) => {
      const generation = await this.get(templateId, id, principal);
      if (generation.status === 'CANCELLED') return generation;
      if (generation.status === 'FINALIZED') throw problems.generationFinalized({ id });
      const next = cancelled(generation, run.moment(), principal.id);
      generations.stage(unit, next, 'retry');
      await events.send('cancelled', next, principal.id);
      unit.afterCommit(() => run.deleteRemains(next));
      return next;
    });
  }
}
