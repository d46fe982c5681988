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
import type { Position } from '../domain/query/order.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { withoutReferences } from '../domain/records/change.ts';
import {
  droppedClaims,
  indexNames,
  indexRows,
  uniqueClaims,
} from '../domain/records/index-rows.ts';
import { treeRow } from '../domain/records/write-plan.ts';
import { findPage } from '../domain/search/run.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { HistoryRepository } from '../store/history-repository.ts';
import { objectOf } from '../store/jobs/attachment-repository.ts';
import type { RecordCleaner } from '../store/record-cleaner.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { stageTargetGone } from '../store/record-staging.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { FieldCipher } from '../store/values/field-cipher.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { RecordWriter } from './record-writer.ts';

export interface MaintenanceDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly histories: HistoryRepository;
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

/** A record whose references are being cleared is live again. */
class TargetRestored extends Error {}

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
    // Until then, environments whose cached definition is older than the deletion may still write records.
    const left = Date.parse(createdAt) + SETTLE_MS - clock.now();
    if (left > 0) await pause(left);
    const model = new EntityModel(definition);
    const { rows: trashed } = await this.#deps.repository.trash(entity, { limit: PAGE_SIZE });
    const listed = [...(await this.#liveIds(model)), ...trashed].slice(0, PAGE_SIZE);
    if (listed.length > 0) {
      for (const each of listed) await this.#purgeRecord(model, each);
      return { isDone: false, processed: listed.length };
    }
    await this.#deps.jobs.failAll(entity, id, 'The entity was purged.');
    await unitOfWork(async (unit) => {
      await references.stage(unit, definition.fields, { ...definition, fields: [] });
    });
    await cleaner.deleteEntity(entity, indexNames(definition), definition.options.shards);
    await definitions.deleteParts(entity);
    await unitOfWork(async (unit) => {
      const last = await definitions.find(entity);
      if (last) definitions.stageGone(unit, last);
    });
    return { isDone: true };
  }

  /** Takes a reference out of the records that point to a deleted one; it stays when that one is restored. */
  async clearReferences({ subject: entity, input, progress }: EntityJob): Promise<StepOutcome> {
    const { definitions, queries } = this.#deps;
    const definition = await definitions.find(entity);
    if (!definition) return { isDone: true };
    const model = new EntityModel(definition);
    const { field, ids, at } = clearingOf({ ...input, ...progress });
    const [id, ...others] = ids;
    if (id === undefined || !model.queryField(field)) return { isDone: true };
    const filter = parseFilterObject({ [field]: id }, model);
    const order = [{ field: 'id', descending: true }];
    const { records, next } = await findPage(
      { filter, order, skip: 0, size: PAGE_SIZE, position: at },
      queries.open(model, true),
    );
    const isOver = await this.#clearAll(model, records, field, id);
    const rest = next && !isOver ? { left: ids, at: next.position } : { left: others };
    return { isDone: rest.left.length === 0, processed: records.length, progress: rest };
  }

  async #liveIds({ code, definition }: EntityModel): Promise<{ readonly id: string }[]> {
    const ids: { readonly id: string }[] = [];
    for (let shard = 0; shard < definition.options.shards; shard += 1) {
      const page = await this.#deps.repository.ids(code, shard, { limit: PAGE_SIZE });
      ids.push(...page.ids.map((id) => ({ id })));
    }
    return ids;
  }

  async #purgeRecord(
    model: EntityModel,
    listed: { readonly id: string; readonly deletedAt?: string },
  ): Promise<void> {
    const { repository, histories, cleaner, journal, largeValues } = this.#deps;
    const { code, definition } = model;
    const { id } = listed;
    const loaded = await journal.load(model, id);
    if (!loaded) {
      return cleaner.unlist(code, definition.options.shards, { ...listed, contended: true });
    }
    const header = await largeValues.complete(model, loaded);
    // First what is found through the record alone, so that an interrupted purge finds it again.
    const files = loaded.files.map((file) => objectOf({ entity: code, id: file }));
    await largeValues.deleteObjects([...Object.values(header.objects ?? {}), ...files]);
    await repository.deleteFiles(code, id, loaded.files);
    await histories.delete(code, id);
    await cleaner.deleteRecord(code, definition.options.shards, header, {
      rows: indexRows(model, header),
      claims: [...uniqueClaims(model, header), ...droppedClaims(model, header)],
      tree: treeRow(model, header),
    });
  }

  /** @returns whether the target was restored, so that the references are right again */
  async #clearAll(
    model: EntityModel,
    records: readonly RecordHeader[],
    field: string,
    target: string,
  ): Promise<boolean> {
    try {
      for (const { id } of records) await this.#clear(model, id, field, target);
      return false;
    } catch (error) {
      if (error instanceof TargetRestored) return true;
      throw error;
    }
  }

  async #clear(model: EntityModel, id: string, field: string, target: string): Promise<void> {
    const { journal, largeValues, writer, cipher, unitOfWork, clock } = this.#deps;
    await unitOfWork(async (unit) => {
      const loaded = await journal.load(model, id);
      if (!loaded || loaded.header.deletedAt !== undefined) return;
      if (id === target) throw new TargetRestored();
      const { reference } = model.field(field) ?? {};
      if (reference) stageTargetGone(unit, reference.entity, target, () => new TargetRestored());
      const stored = await largeValues.complete(model, loaded);
      const before = await cipher.decrypt(model, stored);
      const after: RecordHeader = {
        ...before,
        values: withoutReferences(before.values, field, (each) => each === target),
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
function clearingOf({ field, id, ids, left, at }: EntityJob['input']): {
  readonly field: string;
  readonly ids: readonly string[];
  /** Where the list of the records that refer to the first of them goes on. */
  readonly at: Position | undefined;
} {
  const all = (left ?? ids ?? [id]) as readonly string[];
  return { field: String(field), ids: all, at: at as Position | undefined };
}
