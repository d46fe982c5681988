import { setTimeout as sleep } from 'node:timers/promises';
import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { SETTLE_MS } from '../catalog/entity-catalog.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { FieldDefinition } from '../domain/entity/field.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { droppedClaims, ID_INDEX, indexRows, uniqueClaims } from '../domain/records/index-rows.ts';
import { treeRow } from '../domain/records/write-plan.ts';
import { findPage } from '../domain/search/run.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { FieldCipher } from '../store/field-cipher.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { RecordCleaner } from '../store/record-cleaner.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { RowJournal } from '../store/row-journal.ts';
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
  /** Waits; for tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const PAGE_SIZE = 100;

/** Work on all records of an entity: purging them, clearing references. */
export class Maintenance {
  readonly #deps: MaintenanceDependencies;

  constructor(dependencies: MaintenanceDependencies) {
    this.#deps = dependencies;
  }

  /** Permanently deletes one page of records of a deleted entity; at the end the definition. */
  async purge({ id, subject: entity, createdAt }: EntityJob): Promise<StepOutcome> {
    const { definitions, cleaner, references, unitOfWork, clock, pause = sleep } = this.#deps;
    const definition = await definitions.find(entity);
    if (!definition) return { isDone: true };
    if (definition.status === 'ACTIVE') throw new JobFailure('The entity was restored.');
    // Until then an environment that does not know of the deletion may still write.
    const left = Date.parse(createdAt) + SETTLE_MS - clock.now();
    if (left > 0) await pause(left);
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
    const indexes = [ID_INDEX, ...definition.indexes.map(({ name }) => name)];
    await cleaner.deleteEntity(entity, indexes, definition.options.shards);
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
    const header = await largeValues.complete(model, loaded);
    // What only the record leads to goes first, so that an interrupted purge finds it again.
    await largeValues.deleteObjects(Object.values(header.objects ?? {}));
    await repository.deleteHistory(code, id);
    await this.#deps.cleaner.deleteRecord(code, definition.options.shards, header, {
      rows: indexRows(model, header),
      claims: [...uniqueClaims(model, header), ...droppedClaims(model, header)],
      tree: treeRow(model, header),
    });
  }

  async #clear(model: EntityModel, id: string, field: string, target: string): Promise<void> {
    const { journal, largeValues, writer, cipher, unitOfWork, clock } = this.#deps;
    await unitOfWork(async (unit) => {
      const loaded = await journal.load(model.code, model.definition.options.shards, id);
      if (!loaded || loaded.header.deletedAt !== undefined) return;
      const stored = await largeValues.complete(model, loaded);
      const before = await cipher.decrypt(model, stored);
      const { [field]: value, ...others } = before.values;
      const kept = Array.isArray(value) ? value.filter((each) => each !== target) : [];
      const after: RecordHeader = {
        ...before,
        values: kept.length > 0 ? { ...others, [field]: kept } : others,
        version: before.version + 1,
        generation: model.generation,
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
