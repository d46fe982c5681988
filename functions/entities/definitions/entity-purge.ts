import { setTimeout as sleep } from 'node:timers/promises';
import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { SETTLE_MS } from '../catalog/entity-catalog.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import {
  droppedClaims,
  indexNames,
  indexRows,
  uniqueClaims,
} from '../domain/records/index-rows.ts';
import { treeRow } from '../domain/records/write-plan.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { HistoryRepository } from '../store/history-repository.ts';
import { objectOf } from '../store/jobs/attachment-repository.ts';
import type { RecordCleaner } from '../store/record-cleaner.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { ReferenceRegister } from './reference-register.ts';

export interface EntityPurgeDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly histories: HistoryRepository;
  readonly cleaner: RecordCleaner;
  readonly largeValues: LargeValueStore;
  readonly journal: RowJournal;
  readonly jobs: JobService;
  readonly references: ReferenceRegister;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  /** Waits; for tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const PAGE_SIZE = 100;

/** Permanently deletes an entity with all its records. */
export class EntityPurge {
  readonly #deps: EntityPurgeDependencies;

  constructor(dependencies: EntityPurgeDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `PURGE`: deletes one page of records; at the end the definition. */
  async step({ id, subject: entity, createdAt }: EntityJob): Promise<StepOutcome> {
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
}
