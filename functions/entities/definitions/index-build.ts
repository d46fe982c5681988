import { setTimeout as sleep } from 'node:timers/promises';
import { isOpen, JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { isStale, SETTLE_MS } from '../catalog/entity-catalog.ts';
import { built, filled, withoutBuild } from '../domain/definitions/builds.ts';
import { claimsName, lifeOf } from '../domain/definitions/generations.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { DeletedRow } from '../domain/search/source.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { RecordRewrite } from '../records/record-rewrite.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { HistoryRepository } from '../store/history-repository.ts';
import type { RecordCleaner } from '../store/record-cleaner.ts';
import type { RecordRepository } from '../store/record-repository.ts';

export interface IndexBuildDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly cleaner: RecordCleaner;
  readonly rewrite: RecordRewrite;
  readonly histories: HistoryRepository;
  readonly jobs: JobService;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  /** Waits; for tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const PAGE_SIZE = 100;
const PARALLEL = 8;
/** Most duplicate records that a failed job lists. */
const MAX_NAMED = 100;

/** Where a build is. */
interface Progress {
  readonly phase?: 'fill' | 'trash' | 'drop';
  readonly shard?: number;
  readonly after?: string;
  readonly deleted?: DeletedRow;
  /** The index that is being dropped, and which of its lanes still have rows. */
  readonly dropped?: { readonly name: string; readonly lane: number };
  /** Constraints for which several records share a value. */
  readonly blocked?: readonly string[];
}

/**
 * Brings the records of an entity to a generation of its definition while they are written: waits until no
 * environment works with an older definition, rewrites each record that was last written by one, then lets queries use
 * what the generation added and deletes what it dropped. Builds of an entity run one after the other; each ends
 * with what its own generation says. A step may be repeated at any point.
 */
export class IndexBuild {
  readonly #deps: IndexBuildDependencies;

  constructor(dependencies: IndexBuildDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `INDEX`. */
  async step(job: EntityJob): Promise<StepOutcome> {
    const definition = await this.#deps.definitions.find(job.subject);
    if (!definition) throw new JobFailure('The entity does not exist any more.');
    const progress = job.progress as Progress;
    try {
      switch (progress.phase) {
        case undefined:
          return await this.#begin(definition, job);
        case 'fill':
          return await this.#fill(definition, job, progress);
        case 'trash':
          return await this.#fillTrash(definition, job, progress);
        default:
          return await this.#drop(definition, job, progress);
      }
    } catch (error) {
      // The definition has changed during the step, which begins again with the one of now.
      if (isStale(error)) return { isDone: false };
      throw error;
    }
  }

  /** A failed build leaves what it was to build to the next one. */
  async clear(job: EntityJob): Promise<void> {
    await this.#end(job);
  }

  async #begin(definition: EntityDefinition, job: EntityJob): Promise<StepOutcome> {
    const { clock, repository, pause = sleep } = this.#deps;
    const { builds } = lifeOf(definition);
    const [first] = builds;
    if (first && first.job !== job.id && builds.some((build) => build.job === job.id)) {
      const waits = await this.#isOpen(job.subject, first.job);
      return { isDone: false, ...(waits && { pauseMs: SETTLE_MS }) };
    }
    const left = Date.parse(job.createdAt) + SETTLE_MS - clock.now();
    if (left > 0) await pause(left);
    await this.#change(job.subject, (stored) => built(stored, generationOf(job, stored)));
    const { live } = await repository.counters(definition, true);
    return { isDone: false, total: live, progress: { phase: 'fill', shard: 0 } };
  }

  async #isOpen(entity: string, id: string): Promise<boolean> {
    const job = await this.#deps.jobs.find(entity, id);
    if (job && isOpen(job)) return true;
    await this.#change(entity, (stored) => withoutBuild(stored, id));
    return false;
  }

  /** Brings one page of live records to the generation. */
  async #fill(
    definition: EntityDefinition,
    job: EntityJob,
    { shard = 0, after, blocked = [] }: Progress,
  ): Promise<StepOutcome> {
    const { code, options } = definition;
    const { ids, isEnd } = await this.#deps.repository.ids(code, shard, {
      after,
      limit: PAGE_SIZE,
    });
    const found = await this.#rewriteAll(definition, job, ids);
    const all = [...new Set([...blocked, ...found.blocked])];
    const named = [...((job.result.conflictIds as string[] | undefined) ?? []), ...found.ids];
    const isLast = isEnd && shard + 1 >= options.shards;
    const goesOn = isEnd ? { shard: shard + 1 } : { shard, after: ids.at(-1) };
    return {
      isDone: false,
      processed: ids.length,
      progress: {
        ...(isLast ? { phase: 'trash' } : { phase: 'fill', ...goesOn }),
        blocked: all,
      },
      ...(named.length > 0 && { result: { conflictIds: [...new Set(named)].slice(0, MAX_NAMED) } }),
    };
  }

  /** Brings one page of deleted records to the generation; after the last one every record has reached it. */
  async #fillTrash(
    definition: EntityDefinition,
    job: EntityJob,
    { deleted, blocked = [] }: Progress,
  ): Promise<StepOutcome> {
    const generation = generationOf(job, definition);
    const { code } = definition;
    const { rows, isEnd } = await this.#deps.repository.trash(code, {
      after: deleted,
      oldestFirst: true,
      limit: PAGE_SIZE,
    });
    const ids = rows.map(({ id }) => id);
    await this.#rewriteAll(definition, job, ids);
    const last = rows.at(-1);
    if (!isEnd && last) {
      const progress = { ...job.progress, phase: 'trash', deleted: { ...last } };
      return { isDone: false, progress };
    }
    faultPoint('entities.before-ready');
    await this.#change(code, (stored) => filled(stored, generation, new Set(blocked)));
    return { isDone: false, progress: { ...job.progress, phase: 'drop' } };
  }

  /** @returns records that could not get a unique value, and the constraints that want it */
  async #rewriteAll(
    definition: EntityDefinition,
    job: EntityJob,
    ids: readonly string[],
  ): Promise<{ readonly ids: string[]; readonly blocked: string[] }> {
    const { rewrite, histories } = this.#deps;
    const model = new EntityModel(definition);
    const generation = generationOf(job, definition);
    const blocked: string[] = [];
    const named: string[] = [];
    for (let at = 0; at < ids.length; at += PARALLEL) {
      const batch = ids.slice(at, at + PARALLEL);
      const results = await Promise.allSettled(
        batch.map(async (id) => {
          const taken = await rewrite.run(model, id);
          if (taken.length > 0) named.push(id);
          blocked.push(...taken);
          await histories.forgetSecrets(model, id, generation);
        }),
      );
      const failed = results.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
    return { ids: named, blocked };
  }

  /** Deletes the rows of one index that was dropped, then its entry; without one the job is done. */
  async #drop(
    definition: EntityDefinition,
    job: EntityJob,
    progress: Progress,
  ): Promise<StepOutcome> {
    const { blocked = [], dropped } = progress;
    const { cleaner } = this.#deps;
    const { code, options } = definition;
    const generation = generationOf(job, definition);
    const dropping = definition.indexes.find(
      ({ state, until = 0 }) => state === 'DROPPING' && until <= generation,
    );
    if (!dropping) {
      await cleaner.dropCounters(code, definition.options.shards, lifeOf(definition), generation);
      await this.#end(job);
      return this.#outcome(definition, blocked);
    }
    const { name } = dropping;
    const first = dropped?.name === name ? dropped.lane : 0;
    const lane = await cleaner.deleteRows(code, name, options.shards, first);
    if (lane !== undefined)
      return { isDone: false, progress: { ...job.progress, dropped: { name, lane } } };
    await this.#change(code, (stored) => ({
      ...stored,
      indexes: stored.indexes.filter((index) => index.name !== name || index.state !== 'DROPPING'),
    }));
    return { isDone: false };
  }

  #outcome({ uniques }: EntityDefinition, blocked: readonly string[]): StepOutcome {
    const constraint = uniques.find((unique) => blocked.includes(claimsName(unique)));
    if (!constraint) return { isDone: true };
    const { name } = constraint;
    throw new JobFailure(`${name} cannot become unique: several records share a value.`, {
      field: name,
    });
  }

  /** Takes a build out of the queue and wakes the next one. */
  async #end(job: EntityJob): Promise<void> {
    const { definitions, jobs, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const stored = await definitions.find(job.subject);
      if (!stored || !lifeOf(stored).builds.some((build) => build.job === job.id)) return;
      const next = withoutBuild(stored, job.id);
      definitions.stage(unit, { ...next, version: stored.version + 1 }, stored.version);
      const [following] = lifeOf(next).builds;
      if (following) await jobs.wake(following.job);
    });
  }

  async #change(
    code: string,
    change: (stored: EntityDefinition) => EntityDefinition,
  ): Promise<void> {
    const { definitions, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const stored = await definitions.find(code);
      const next = stored && change(stored);
      if (!next || next === stored) return;
      definitions.stage(unit, { ...next, version: stored.version + 1 }, stored.version);
    });
  }
}

/** The generation that a job brings records to; jobs of an earlier version of the module name none. */
function generationOf({ input }: EntityJob, definition: EntityDefinition): number {
  const { generation } = input;
  return typeof generation === 'number' ? generation : lifeOf(definition).generation;
}
