import type { StepOutcome } from '../../../shared/jobs/job.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import { indexNames } from '../domain/records/index-rows.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { RecordCleaner } from '../store/record-cleaner.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { IndexBuild } from './index-build.ts';

export interface RecountDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly cleaner: RecordCleaner;
  readonly build: IndexBuild;
}

/**
 * Counts the records of an entity anew, exactly, while they are written: all counters begin again with a generation
 * that was declared with the job, and that each record is brought to once. Orphaned rows are deleted before.
 */
export class Recount {
  readonly #deps: RecountDependencies;

  constructor(dependencies: RecountDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `RECOUNT`. */
  async step(job: EntityJob): Promise<StepOutcome> {
    const definition = await this.#deps.definitions.find(job.subject);
    if (!definition) return { isDone: true };
    const { phase, isTidy } = job.progress;
    const isCounting = phase !== undefined || isTidy === true;
    return isCounting ? this.#count(definition, job) : this.#tidy(definition, job);
  }

  async #tidy(definition: EntityDefinition, job: EntityJob): Promise<StepOutcome> {
    const { code, options } = definition;
    const names = indexNames(definition);
    const lane = Number(job.progress.lane ?? 0);
    const index = names[Math.floor(lane / options.shards)];
    if (index === undefined) return { isDone: false, progress: { isTidy: true } };
    const after = job.progress.after as string | undefined;
    const shard = lane % options.shards;
    const next = await this.#deps.cleaner.dropStrayRows(code, index, shard, after);
    return { isDone: false, progress: next ? { lane, after: next } : { lane: lane + 1 } };
  }

  async #count({ code }: EntityDefinition, job: EntityJob): Promise<StepOutcome> {
    const { build, repository, definitions } = this.#deps;
    const outcome = await build.step(job);
    const definition = outcome.isDone ? await definitions.find(code) : undefined;
    if (!definition) return outcome;
    const { live, deleted } = await repository.counters(definition, true);
    return { ...outcome, result: { live, deleted } };
  }
}
