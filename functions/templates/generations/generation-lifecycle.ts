import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { TemplateCatalog } from '../catalog/template-catalog.ts';
import {
  finalPath,
  type Generation,
  hasOutput,
  historyOfGeneration,
  isOpen,
  type Output,
} from '../domain/documents/generation.ts';
import { cancelled, copied, finalized } from '../domain/documents/generation-changes.ts';
import { problems } from '../errors.ts';
import type { EndedDocuments } from '../store/ended-documents.ts';
import {
  type GenerationFilter,
  type GenerationRepository,
  unlessChanged,
} from '../store/generation-repository.ts';
import type { GenerationEvents } from './generation-events.ts';
import type { GenerationRun } from './generation-run.ts';
import type { RenderingJobs } from './generation-sweep.ts';

interface GenerationLifecycleDependencies {
  readonly catalog: TemplateCatalog;
  readonly generations: GenerationRepository;
  readonly events: GenerationEvents;
  readonly run: GenerationRun;
  readonly jobs: RenderingJobs;
  readonly endedDocuments: Pick<EndedDocuments, 'stage'>;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  readonly ids: IdGenerator;
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
    const { unitOfWork, generations, events, run, ids } = this.#deps;
    const part = ids().slice(-12);
    return unitOfWork(async (unit) => {
      for (;;) {
        const found = await this.get(templateId, id, principal);
        if (found.status === 'FINALIZED') return found;
        const path = finalPath(found, found.format === 'DOCX' ? part : undefined);
        const generation = await this.#announced(found, path);
        const kept = generation && (await this.#kept(generation, path));
        if (!kept) continue;
        const final = finalized(generation, run.moment(), principal.id, kept);
        generations.stage(unit, final, 'retry');
        await events.send('finalized', final, principal.id);
        unit.afterCommit(() => run.deleteRemains(final));
        return final;
      }
    });
  }

  /** A document says where a copy of it is about to be written; `undefined` when another call has changed it meanwhile. */
  async #announced(generation: Generation, path: string): Promise<Generation | undefined> {
    const { unitOfWork, generations, run } = this.#deps;
    const { id, status, format, remains } = generation;
    if (!hasOutput(generation)) throw problems.generationNotReady({ id, status });
    if (format !== 'DOCX' || remains?.includes(path)) return generation;
    const next = copied(generation, run.moment(), path);
    return unlessChanged(() =>
      apart(() =>
        unitOfWork(async (unit) => {
          generations.stage(unit, next);
          return next;
        }),
      ),
    );
  }

  /**
   * The output where nothing is written over it; `undefined` when another call has cancelled or finalized it meanwhile. An
   * editor may have written a file without its hash yet: that of the copy counts.
   */
  async #kept(generation: Generation, path: string): Promise<Output | undefined> {
    const { files, generations } = this.#deps;
    const { templateId, id, status, output, format } = generation;
    if (!output) throw problems.generationNotReady({ id, status });
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
    const { unitOfWork, generations, endedDocuments, events, run } = this.#deps;
    return unitOfWork(async (unit) => {
      const generation = await this.get(templateId, id, principal);
      if (generation.status === 'CANCELLED') return generation;
      if (generation.status === 'FINALIZED') throw problems.generationFinalized({ id });
      const next = cancelled(generation, run.moment(), principal.id);
      generations.stage(unit, next, 'retry');
      if (next.format === 'DOCX') endedDocuments.stage(unit, historyOfGeneration(next));
      await events.send('cancelled', next, principal.id);
      unit.afterCommit(() => run.deleteRemains(next));
      return next;
    });
  }
}
