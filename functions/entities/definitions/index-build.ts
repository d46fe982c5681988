import { setTimeout as sleep } from 'node:timers/promises';
import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { DEFINITION_TTL_MS } from '../catalog/entity-catalog.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { IndexState } from '../domain/entity/field.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { facetsOf, overlongKeys, rowsOf, uniqueClaims } from '../domain/records/index-rows.ts';
import { treeRow } from '../domain/records/write-plan.ts';
import { problems } from '../errors.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { RecordCleaner } from '../store/record-cleaner.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { asCurrent } from '../store/record-source.ts';
import {
  stageClaim,
  stageCounters,
  stageHeader,
  stageRows,
  stageTree,
  stageUnchanged,
} from '../store/record-staging.ts';

export interface IndexBuildDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly cleaner: RecordCleaner;
  readonly largeValues: LargeValueStore;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  /** Waits; for tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Longer than any environment uses an old definition, so that every writer writes the new rows. */
const SETTLE_MS = DEFINITION_TTL_MS * 2 + 1_000;
const PAGE_SIZE = 100;
const PARALLEL = 8;
/** Most duplicate records that a failed job lists. */
const MAX_NAMED = 100;

/**
 * Builds the indexes of a new schema while records are written: waits until every environment writes the
 * new rows, adds those of older records, then lets queries use them and deletes the rows of old indexes.
 * A step may be repeated at any point.
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
    switch (job.progress.phase) {
      case undefined:
        return this.#begin(job);
      case 'fill':
        return this.#fill(definition, job);
      default:
        return this.#drop(definition);
    }
  }

  async #begin(job: EntityJob): Promise<StepOutcome> {
    const { clock, repository, pause = sleep } = this.#deps;
    const left = Date.parse(job.createdAt) + SETTLE_MS - clock.now();
    if (left > 0) await pause(left);
    await this.#setStates(job.subject, (state) => (state === 'WRITE_ONLY' ? 'BUILDING' : state));
    const { live } = await repository.counters(job.subject, true);
    return { isDone: false, total: live, progress: { phase: 'fill', shard: 0 } };
  }

  /** Adds the rows of one page of records. */
  async #fill(definition: EntityDefinition, job: EntityJob): Promise<StepOutcome> {
    const { repository } = this.#deps;
    const model = new EntityModel(definition);
    const { code } = definition;
    const shard = Number(job.progress.shard);
    const after = job.progress.after as string | undefined;
    const { ids, isEnd } = await repository.ids(code, shard, { after, limit: PAGE_SIZE });
    const conflicts: string[] = (job.result.conflictIds as string[] | undefined) ?? [];
    for (let at = 0; at < ids.length; at += PARALLEL) {
      const batch = ids.slice(at, at + PARALLEL);
      const failed = await Promise.all(batch.map((id) => this.#fillRecord(model, id)));
      conflicts.push(...failed.filter((id) => id !== undefined));
    }
    const isLast = isEnd && shard === definition.options.shards - 1;
    if (isLast) await this.#finish(code, conflicts);
    const progress = isLast
      ? { phase: 'drop' }
      : {
          phase: 'fill',
          shard: isEnd ? shard + 1 : shard,
          ...(isEnd ? {} : { after: ids.at(-1) }),
        };
    const result =
      conflicts.length > 0 ? { result: { conflictIds: conflicts.slice(0, MAX_NAMED) } } : {};
    return { isDone: false, processed: ids.length, progress, ...result };
  }

  /** @returns the id of the record when another one has the same unique value */
  async #fillRecord(model: EntityModel, id: string): Promise<string | undefined> {
    const { repository, largeValues, unitOfWork } = this.#deps;
    const { code, definition } = model;
    try {
      await unitOfWork(async (unit) => {
        const loaded = await repository.load(code, id);
        if (!loaded || loaded.header.deletedAt !== undefined) return;
        const stored = loaded.header;
        const header = asCurrent(model, await largeValues.complete(loaded));
        const building = definition.indexes.filter(({ state }) => state === 'BUILDING');
        refuseOverlong(model, header);
        const added = building.flatMap((index) => rowsOf(model, index, header));
        stageRows(unit, code, definition.options.shards, id, { added, removed: [] });
        for (const claim of uniqueClaims(model, header)) {
          const isNew = definition.uniques.some(
            ({ name, state }) => name === claim.name && state === 'BUILDING',
          );
          if (isNew)
            stageClaim(unit, code, claim, {
              takenBy: id,
              otherwise: () => problems.uniqueViolation({ fields: claim.fields }),
            });
        }
        const tree = treeRow(model, header);
        if (tree) stageTree(unit, code, id, { added: tree });
        this.#stageCounted(unit, model, stored, header);
      });
      return undefined;
    } catch (error) {
      if (error instanceof Problem && error.code === 'UNIQUE_VIOLATION') return id;
      throw error;
    }
  }

  /** Adds a record to the counters of newly counted fields, once: its schema version marks it as counted. */
  #stageCounted(
    unit: Parameters<Parameters<RunUnitOfWork>[0]>[0],
    model: EntityModel,
    stored: RecordHeader,
    header: RecordHeader,
  ): void {
    const past = new Set(facetsOf(model, { ...header, schemaVersion: stored.schemaVersion }));
    const current = { ...stored, schemaVersion: model.definition.schemaVersion };
    const gained = facetsOf(model, { ...header, schemaVersion: current.schemaVersion }).filter(
      (name) => !past.has(name),
    );
    if (gained.length === 0) {
      stageUnchanged(unit, model.code, stored);
      return;
    }
    const inline = Object.entries(header.values).filter(
      ([field]) => !stored.spilled?.includes(field),
    );
    const after = { ...current, values: Object.fromEntries(inline) };
    stageHeader(unit, model.code, after, { seen: stored, otherwise: 'retry' });
    stageCounters(unit, model.code, {
      live: 0,
      deleted: 0,
      facets: new Map(gained.map((name) => [name, 1])),
    });
  }

  /** Makes built indexes readable; a constraint with conflicts stays unready, but new values are checked. */
  async #finish(code: string, conflicts: readonly string[]): Promise<void> {
    await this.#setStates(
      code,
      (state) => (state === 'BUILDING' ? 'READY' : state),
      (state) => (state === 'BUILDING' && conflicts.length === 0 ? 'READY' : state),
    );
  }

  /** Deletes the rows of one old index, then its entry; without one the job is done. */
  async #drop(definition: EntityDefinition): Promise<StepOutcome> {
    const { cleaner } = this.#deps;
    const dropping = definition.indexes.find(({ state }) => state === 'DROPPING');
    if (!dropping) {
      const blocked = definition.uniques.find(({ state }) => state === 'BUILDING');
      if (blocked)
        throw new JobFailure(
          `${blocked.name} cannot become unique: several records share a value.`,
          { field: blocked.name },
        );
      return { isDone: true };
    }
    for (let shard = 0; shard < definition.options.shards; shard += 1) {
      const isEmpty = await cleaner.deleteIndexPage(definition.code, dropping.name, shard);
      if (!isEmpty) return { isDone: false };
    }
    await this.#change(definition.code, (stored) => ({
      ...stored,
      indexes: stored.indexes.filter(
        ({ name, state }) => name !== dropping.name || state !== 'DROPPING',
      ),
    }));
    return { isDone: false };
  }

  #setStates(
    code: string,
    ofIndex: (state: IndexState) => IndexState,
    ofUnique: (state: IndexState) => IndexState = ofIndex,
  ): Promise<void> {
    return this.#change(code, (stored) => ({
      ...stored,
      indexes: stored.indexes.map((index) => ({ ...index, state: ofIndex(index.state) })),
      uniques: stored.uniques.map((unique) => ({ ...unique, state: ofUnique(unique.state) })),
    }));
  }

  async #change(
    code: string,
    change: (stored: EntityDefinition) => EntityDefinition,
  ): Promise<void> {
    const { definitions, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const stored = await definitions.find(code);
      if (!stored) return;
      definitions.stage(unit, { ...change(stored), version: stored.version + 1 }, stored.version);
    });
  }
}

/** An index without some of the records would leave them out of lists. */
function refuseOverlong(model: EntityModel, header: RecordHeader): void {
  const [overlong] = overlongKeys(model, header);
  if (!overlong) return;
  const { fields } = overlong;
  throw new JobFailure(
    `The values of ${fields.join(', ')} are too long for one index; shorten them, or leave the index out.`,
    { recordId: header.id, fields },
  );
}
