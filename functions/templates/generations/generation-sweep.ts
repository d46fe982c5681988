import type { Clock } from '../../../shared/primitives/clock.ts';
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
  readonly generations: GenerationRepository;
  readonly run: GenerationRun;
  readonly machine: Clock;
}

/** Most generations that one sweep looks at. */
const MAX_SWEPT = 500;

/** Ends what functions that are gone have left, and deletes what remained of outputs. */
export class GenerationSweep {
  readonly #deps: GenerationSweepDependencies;

  constructor(dependencies: GenerationSweepDependencies) {
    this.#deps = dependencies;
  }

  /** @returns how many it has ended or cleaned. @throws AggregateError at the end, for those that it could not */
  async sweep(): Promise<number> {
    const { generations, machine } = this.#deps;
    let count = 0;
    const failures: unknown[] = [];
    for (const { templateId, id } of await generations.due(machine.now(), MAX_SWEPT)) {
      try {
        const generation = await generations.find(templateId, id);
        if (generation && (await this.#settle(generation))) count += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Generations were not swept');
    return count;
  }

  async #settle(generation: Generation): Promise<boolean> {
    const { run, generations, jobs, machine } = this.#deps;
    if (generation.leaseUntil > machine.now()) return false;
    if (isOpen(generation) && (await jobs.renders(generation))) return false;
    if (isOpen(generation) && !(await run.interrupt(generation))) return false;
    const { templateId, id } = generation;
    const now = await generations.find(templateId, id);
    if (now?.remains && !isOpen(now)) await run.clean(now);
    return true;
  }
}
