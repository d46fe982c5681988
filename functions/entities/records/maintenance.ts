import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { FieldDefinition } from '../domain/entity/field.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { facetsOf, ID_INDEX, indexRows, uniqueClaims } from '../domain/records/index-rows.ts';
import { treeRow } from '../domain/records/write-plan.ts';
import { findPage } from '../domain/search/run.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { RecordCleaner } from '../store/record-cleaner.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { asCurrent } from '../store/record-source.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { FieldCipher } from './field-cipher.ts';
import type { RecordWriter } from './record-writer.ts';

export interface MaintenanceDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly cleaner: RecordCleaner;
  readonly largeValues: LargeValueStore;
  readonly journal: RowJournal;
  readonly queries: QueryService;
  readonly jobs: JobService;
  /** Takes what an entity refers to out of the definitions of its targets. */
  readonly references: {
    stage(
      unit: UnitOfWork,
      before: readonly FieldDefinition[],
      definition: EntityDefinition,
    ): Promise<unknown>;
  };
  readonly writer: RecordWriter;
  readonly cipher: FieldCipher;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

const PAGE_SIZE = 100;

/** Work on all records of an entity: purging them, clearing references, recounting. */
export class Maintenance {
  readonly #deps: MaintenanceDependencies;

  constructor(dependencies: MaintenanceDependencies) {
    this.#deps = dependencies;
  }

  /** Permanently deletes one page of records of a deleted entity; at the end the definition. */
  async purge({ id, subject: entity }: EntityJob): Promise<StepOutcome> {
    const { definitions, cleaner, references, unitOfWork } = this.#deps;
    const definition = await definitions.find(entity);
    if (!definition) return { isDone: true };
    if (definition.status === 'ACTIVE') throw new JobFailure('The entity was restored.');
    const model = new EntityModel(definition);
    const ids = [...(await this.#liveIds(model)), ...(await this.#trashIds(entity))].slice(
      0,
      PAGE_SIZE,
    );
    if (ids.length > 0) {
      for (const each of ids) await this.#purgeRecord(model, each);
      return { isDone: false, processed: ids.length };
    }
    await this.#deps.jobs.failAll(entity, id, 'The entity was purged.');
    await unitOfWork(async (unit) => {
      await references.stage(unit, definition.fields, { ...definition, fields: [] });
    });
    await cleaner.deleteEntity(entity);
    await definitions.deleteAll(definition);
    return { isDone: true };
  }

  /** Takes a reference out of the records that point to a deleted one. */
  async clearReferences({ subject: entity, input, progress }: EntityJob): Promise<StepOutcome> {
    const { definitions, queries } = this.#deps;
    const definition = await definitions.find(entity);
    if (!definition) return { isDone: true };
    const model = new EntityModel(definition);
    const { field, ids } = clearingOf({ ...input, ...progress });
    const [id, ...others] = ids;
    if (id === undefined || !model.queryField(field)) return { isDone: true };
    const filter = parseFilterObject({ [field]: id }, model);
    const order = [{ field: 'id', descending: true }];
    const { records, next } = await findPage(
      { filter, order, skip: 0, size: PAGE_SIZE },
      queries.open(model, true),
    );
    for (const header of records) await this.#clear(model, header.id, field, id);
    const left = next ? ids : others;
    return { isDone: left.length === 0, processed: records.length, progress: { left } };
  }

  /** Deletes orphaned rows page by page, then recounts the records. */
  async recount(job: EntityJob): Promise<StepOutcome> {
    const definition = await this.#deps.definitions.find(job.subject);
    if (!definition) return { isDone: true };
    const model = new EntityModel(definition);
    return job.progress.phase === 'count' ? this.#count(model, job) : this.#tidy(model, job);
  }

  async #tidy({ code, definition }: EntityModel, { progress }: EntityJob): Promise<StepOutcome> {
    const names = [ID_INDEX, ...definition.indexes.map(({ name }) => name)];
    const { shards } = definition.options;
    const lane = Number(progress.lane ?? 0);
    const index = names[Math.floor(lane / shards)];
    if (index === undefined) return { isDone: false, progress: { phase: 'count' } };
    const after = progress.after as string | undefined;
    const next = await this.#deps.cleaner.dropStrayRows(code, index, lane % shards, after);
    return { isDone: false, progress: next ? { lane, after: next } : { lane: lane + 1 } };
  }

  /** Counts one page of records; at the end the counters get what was counted. */
  async #count(model: EntityModel, { subject: entity, progress }: EntityJob): Promise<StepOutcome> {
    const { repository } = this.#deps;
    const { definition } = model;
    const shard = Number(progress.shard ?? 0);
    const after = progress.after as string | undefined;
    const counts = { live: 0, facets: {}, ...(progress.counts as object) } as {
      live: number;
      facets: Record<string, number>;
    };
    const { ids, isEnd } = await repository.ids(entity, shard, { after, limit: PAGE_SIZE });
    const headers = await repository.findHeaders(entity, ids, true);
    for (const header of headers.values()) {
      if (header.deletedAt !== undefined) continue;
      counts.live += 1;
      for (const name of facetsOf(model, asCurrent(model, header)))
        counts.facets[name] = (counts.facets[name] ?? 0) + 1;
    }
    if (isEnd && shard === definition.options.shards - 1) {
      const deleted = await this.#deps.cleaner.countTrash(entity);
      await this.#deps.cleaner.resetCounters(entity, { ...counts, deleted });
      return { isDone: true, processed: ids.length, result: { live: counts.live, deleted } };
    }
    const next = isEnd ? { shard: shard + 1 } : { shard, after: ids.at(-1) };
    return { isDone: false, processed: ids.length, progress: { phase: 'count', ...next, counts } };
  }

  async #liveIds({ code, definition }: EntityModel): Promise<string[]> {
    const ids: string[] = [];
    for (let shard = 0; shard < definition.options.shards; shard += 1) {
      const page = await this.#deps.repository.ids(code, shard, { limit: PAGE_SIZE });
      ids.push(...page.ids);
    }
    return ids;
  }

  async #trashIds(entity: string): Promise<string[]> {
    const { rows } = await this.#deps.repository.trash(entity, { limit: PAGE_SIZE });
    return rows.map(({ id }) => id);
  }

  async #purgeRecord(model: EntityModel, id: string): Promise<void> {
    const { repository, journal, largeValues } = this.#deps;
    const { code, definition } = model;
    const loaded = await journal.load(code, definition.options.shards, id);
    if (!loaded) {
      await repository.writeRows(code, definition.options.shards, {
        deletes: [{ row: { index: ID_INDEX, key: '' }, id }],
      });
      return;
    }
    const header = asCurrent(model, await largeValues.complete(loaded));
    // What only the record leads to goes first, so that an interrupted purge finds it again.
    await largeValues.deleteObjects(Object.values(header.objects ?? {}));
    await repository.deleteHistory(code, id);
    await this.#deps.cleaner.deleteRecord(code, definition.options.shards, header, {
      rows: indexRows(model, header),
      claims: uniqueClaims(model, header),
      tree: treeRow(model, header),
    });
  }

  async #clear(model: EntityModel, id: string, field: string, target: string): Promise<void> {
    const { journal, largeValues, writer, cipher, unitOfWork, clock } = this.#deps;
    await unitOfWork(async (unit) => {
      const loaded = await journal.load(model.code, model.definition.options.shards, id);
      if (!loaded || loaded.header.deletedAt !== undefined) return;
      const stored = asCurrent(model, await largeValues.complete(loaded));
      const before = { ...stored, values: await cipher.decrypt(model, stored.values) };
      const { [field]: value, ...others } = before.values;
      const kept = Array.isArray(value) ? value.filter((each) => each !== target) : [];
      const after: RecordHeader = {
        ...before,
        values: kept.length > 0 ? { ...others, [field]: kept } : others,
        version: before.version + 1,
        schemaVersion: model.definition.schemaVersion,
        updatedAt: toInstant(clock.now()),
        updatedBy: systemPrincipal.id,
      };
      await writer.stage(unit, model, {
        action: 'UPDATED',
        before,
        after,
        principal: systemPrincipal,
        otherwise: 'retry',
      });
    });
  }
}

/** A job to clear references; earlier ones name a single record. */
function clearingOf({ field, id, ids, left }: EntityJob['input']): {
  readonly field: string;
  readonly ids: readonly string[];
} {
  const all = (left ?? ids ?? [id]) as readonly string[];
  return { field: String(field), ids: all };
}
