import type { Clock } from '../../../shared/primitives/clock.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { type Generation, isOpen } from '../domain/documents/generation.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import type { GenerationRun } from './generation-run.ts';

/** The jobs that render generations after their calls. */
export interface RenderingJobs {
  /** Whether a job renders a generation; wakes one that was interrupted. */
  renders(generation: Pick<Generation, 'templateId' | 'jobId'>): Promise<boolean>;
}

interface GenerationSweepDependencies {
  readonly jobs: RenderingJobs;
  readonly generations: Pick<GenerationRepository, 'due' | 'find'>;
  readonly run: Pick<GenerationRun, 'interrupt' | 'clean'>;
  readonly machine: Clock;
}

/** Generations that are read together, how often that is done in one sweep, and how many are settled at the same time. */
const PAGE = 250;
const MAX_PAGES = 8;
const AT_ONCE = 8;

/** Ends what functions that are gone have left, and deletes what remained of outputs. */
export class GenerationSweep {
  readonly #deps: GenerationSweepDependencies;

  constructor(dependencies: GenerationSweepDependencies) {
    this.#deps = dependencies;
  }

  /** @returns how many it has ended or cleaned. @throws AggregateError at the end, for those that it could not */
  async sweep(): Promise<number> {
    const { generations, machine } = this.#deps;
    const failures: unknown[] = [];
    let count = 0;
    // The oldest come first, and those that wait for their jobs keep no others.
    const waiting = new Set<string>();
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const found = await generations.due(machine.now(), PAGE + waiting.size);
      const due = found.filter(({ id }) => !waiting.has(id));
      const settled = await mapLimited(due, AT_ONCE, (key) => this.#trySettle(key, failures));
      for (const [at, { id }] of due.entries()) {
        if (settled[at]) count += 1;
        else waiting.add(id);
      }
      if (due.length < PAGE) break;
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Generations were not swept');
    return count;
  }

  /** One that cannot be settled keeps no other one. */
  async #trySettle(
    { templateId, id }: Pick<Generation, 'templateId' | 'id'>,
    failures: unknown[],
  ): Promise<boolean> {
    try {
      const generation = await this.#deps.generations.find(templateId, id);
      return generation !== undefined && (await this.#settle(generation));
    } catch (error) {
      failures.push(error);
      return false;
    }
  }

  async #settle(generation: Generation): Promise<boolean> {
    const { run, jobs, machine } = this.#deps;
    if (generation.leaseUntil > machine.now()) return false;
    const ended = isOpen(generation) ? await this.#ended(generation, jobs) : generation;
    if (ended?.remains) await run.clean(ended);
    return ended !== undefined;
  }

  /** Ends an open generation that no call renders. */
  async #ended(generation: Generation, jobs: RenderingJobs): Promise<Generation | undefined> {
    const { run, generations } = this.#deps;
    if (await jobs.renders(generation)) return undefined;
    if (!(await run.interrupt(generation))) return undefined;
    return generations.find(generation.templateId, generation.id);
  }
}
