import type { StepOutcome } from '../../../shared/jobs/job.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import { indexNames } from '../domain/records/index-rows.ts';
import { lanesOf } from '../domain/records/lanes.ts';
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
    const places = indexNames(definition).flatMap((index) =>
      lanesOf(index, options.shards).map((lane) => ({ index, lane })),
    );
    const first = Number(job.progress.lane ?? 0);
    for (const [at, place] of places.entries()) {
      if (at < first) continue;
      const after = at === first ? (job.progress.after as string | undefined) : undefined;
      const { seen, next } = await this.#deps.cleaner.dropStrayRows(code, { ...place, after });
      if (next) return { isDone: false, progress: { lane: at, after: next } };
      if (seen > 0) return { isDone: false, progress: { lane: at + 1 } };
    }
    return { isDone: false, progress: { isTidy: true } };
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
