import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { totalNames } from '../domain/definitions/generations.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { nextVersion } from '../domain/records/change.ts';
import { counterChange } from '../domain/records/write-plan.ts';
import type { DeletedRow } from '../domain/search/source.ts';
import type { RecordReader } from '../records/record-reader.ts';
import type { RecordWriter } from '../records/record-writer.ts';
import type { HistoryRepository } from '../store/history-repository.ts';
import { afterLinks, objectOf } from '../store/jobs/attachment-repository.ts';
import type { OpenWork, Work } from '../store/open-work.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { stageCounters, stagePurge, stageTrashRowGone } from '../store/record-staging.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

export interface TrashDependencies {
  readonly repository: RecordRepository;
  readonly histories: HistoryRepository;
  readonly reader: RecordReader;
  readonly writer: RecordWriter;
  readonly largeValues: LargeValueStore;
  readonly journal: RowJournal;
  readonly openWork: OpenWork;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/** Moves records to the trash, and out of it for good. */
export class Trash {
  readonly #deps: TrashDependencies;

  constructor(dependencies: TrashDependencies) {
    this.#deps = dependencies;
  }

  /** The record after its deletion, with decrypted values. */
  async deleted(
    model: EntityModel,
    stored: RecordHeader,
    principal: Principal,
  ): Promise<{ readonly before: RecordHeader; readonly after: RecordHeader }> {
    const { reader, clock } = this.#deps;
    const before = await reader.decrypted(model, stored);
    const at = toInstant(clock.now());
    const { deleting: _mark, ...rest } = before;
    const version = nextVersion(model, before, { at, by: principal.id });
    return { before, after: { ...rest, ...version, deletedAt: at, deletedBy: principal.id } };
  }

  /** Stages a live record as deleted. @param purges name of the work that deletes it for good after that */
  async stage(
    unit: UnitOfWork,
    model: EntityModel,
    stored: RecordHeader,
    { principal, purges }: { readonly principal: Principal; readonly purges?: string | undefined },
  ): Promise<void> {
    const { writer, openWork } = this.#deps;
    const { before, after } = await this.deleted(model, stored, principal);
    const change = { action: 'DELETED', before, after, principal, otherwise: 'retry' } as const;
    await writer.stage(unit, model, change);
    if (purges === undefined) return;
    const { id, version } = after;
    openWork.stage(unit, purges, { kind: 'PURGE', entity: model.code, id, version, principal });
  }

  /**
   * Permanently deletes a record in the trash: the record with its commit, its history and objects right after it, or
   * by the sweep.
   * @param work name of the work that this completes
   * @param isMeant whether the stored record is still the one to be purged, not one that has come back meanwhile
   * @returns whether it was there
   * @throws Problem `CONCURRENT_UPDATE` (409) when it is restored meanwhile
   */
  async purge(
    model: EntityModel,
    id: string,
    principal: Principal,
    {
      work = this.#deps.openWork.newName(),
      isMeant = () => true,
    }: { work?: string; isMeant?: (stored: RecordHeader) => boolean } = {},
  ): Promise<boolean> {
    const { journal, writer, openWork, unitOfWork, largeValues, clock } = this.#deps;
    const { code } = model;
    return unitOfWork(async (unit) => {
      const loaded = await journal.load(model, id);
      if (!loaded || !isMeant(loaded.header)) return false;
      const { header, large, files } = loaded;
      if (header.deletedAt === undefined) throw httpProblems.concurrentUpdate();
      stagePurge(unit, code, header);
      const { shards } = model.definition.options;
      stageCounters(unit, code, shards, counterChange(model, header, undefined));
      const ofFiles = files.map((file) => objectOf({ entity: code, id: file }));
      const objects = [
        ...[...large.values()].flatMap((value) => ('object' in value ? [value.object] : [])),
        ...ofFiles,
      ];
      if (files.length > 0) {
        largeValues.eraseLater(unit, code, id, ofFiles, afterLinks(clock.now()));
      }
      const rest = { entity: code, id, objects, isGone: true, files };
      openWork.stage(unit, work, { kind: 'ERASE', ...rest });
      await writer.publish(model, { action: 'PURGED', before: header, after: header, principal });
      unit.afterCommit(() => this.erase(work, rest));
      return true;
    });
  }

  /** Deletes a row of the trash whose record is gone, with its files, history and large values. */
  async forget({ code: entity, life, definition }: EntityModel, row: DeletedRow): Promise<void> {
    const { repository, histories, largeValues, unitOfWork } = this.#deps;
    const files = await repository.fileIds(entity, row.id);
    await largeValues.deleteObjects(files.map((id) => objectOf({ entity, id })));
    await histories.delete(entity, row.id);
    await repository.deleteLarge(entity, row.id);
    await unitOfWork(async (unit) => {
      stageTrashRowGone(unit, entity, row);
      const gone = new Map([[totalNames(life.totals.since).deleted, -1]]);
      stageCounters(unit, entity, definition.options.shards, gone);
    });
  }

  /** Deletes what is left of a record, then the work. */
  async erase(
    work: string,
    { entity, id, objects, isGone, files = [] }: Omit<Extract<Work, { kind: 'ERASE' }>, 'kind'>,
  ): Promise<void> {
    const { largeValues, repository, histories, openWork } = this.#deps;
    await largeValues.deleteObjects(objects);
    await repository.deleteFiles(entity, id, files);
    if (isGone) await histories.deletePast(entity, id);
    await openWork.end(work);
  }
}
