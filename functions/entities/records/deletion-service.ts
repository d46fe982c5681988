import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import {
  apart,
  currentUnitOfWork,
  type RunUnitOfWork,
} from '../../../shared/store/unit-of-work.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { checkVersion, isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { IncomingReference } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { problems } from '../errors.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { asCurrent } from '../store/record-source.ts';
import { stageCounters, stageMark, stagePurge } from '../store/record-staging.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { RecordReader } from './record-reader.ts';
import type { RecordWriter } from './record-writer.ts';

export interface DeleteOptions {
  readonly ifMatch?: string | undefined;
  /** Deletes permanently, from the trash or directly. */
  readonly purge?: boolean;
  /** Also deletes its descendants in the tree. */
  readonly cascade?: boolean;
}

export interface DeletionServiceDependencies {
  readonly repository: RecordRepository;
  readonly definitions: DefinitionRepository;
  readonly reader: RecordReader;
  readonly queries: QueryService;
  readonly writer: RecordWriter;
  readonly largeValues: LargeValueStore;
  readonly journal: RowJournal;
  readonly access: EntityAccess;
  readonly jobs: JobService;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Another change removed the mark, so the record may have new references. */
class MarkLost extends Error {}

/** Attempts of a deletion whose mark is lost. */
const MAX_ROUNDS = 4;
/** Most descendants that one call deletes. */
const MAX_CASCADE = 1_000;

/**
 * Deletes records. A record that may be referenced is marked first, which refuses new references; then existing
 * references are checked; then the record is deleted or the mark removed.
 */
export class DeletionService {
  readonly #deps: DeletionServiceDependencies;

  constructor(dependencies: DeletionServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Moves a record to the trash, or deletes it permanently.
   * @throws Problem `RECORD_NOT_FOUND` (404), `REFERENCED`, `HAS_CHILDREN` (409), `VERSION_CONFLICT` (412)
   */
  async delete(
    model: EntityModel,
    id: string,
    principal: Principal,
    options: DeleteOptions = {},
  ): Promise<void> {
    await this.#delete(model, id, principal, options, new Set([id.toLowerCase()]));
  }

  async #delete(
    model: EntityModel,
    id: string,
    principal: Principal,
    options: DeleteOptions,
    leaving: ReadonlySet<string>,
  ): Promise<void> {
    const grant = await this.#deps.access.check(model, principal, 'delete');
    const { header, incoming } = await this.#find(model, id.toLowerCase());
    const exists = header !== undefined && isGranted(model, header, grant);
    if (!exists || (header.deletedAt !== undefined && !options.purge)) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    checkVersion(model, header, options.ifMatch);
    if (header.deletedAt === undefined) {
      await this.#deleteLive(model, header, incoming, { principal, grant, options, leaving });
    }
    if (options.purge) await this.purge(model, header.id, principal);
  }

  /**
   * Permanently deletes a record in the trash.
   * @throws Problem `CONCURRENT_UPDATE` (409) when it is restored meanwhile
   */
  async purge(model: EntityModel, id: string, principal: Principal): Promise<void> {
    const { repository, largeValues, journal, writer, unitOfWork } = this.#deps;
    const { code } = model;
    const purged = await unitOfWork(async (unit) => {
      const loaded = await journal.load(code, model.definition.options.shards, id);
      if (!loaded) return undefined;
      const { header, large } = loaded;
      if (header.deletedAt === undefined) throw httpProblems.concurrentUpdate();
      stagePurge(unit, code, header);
      stageCounters(unit, code, { live: 0, deleted: -1, facets: new Map() });
      await writer.publish(model, {
        action: 'PURGED',
        before: header,
        after: header,
        principal,
      });
      return large;
    });
    if (!purged) return;
    await largeValues.deleteObjects(purged);
    await repository.deleteHistory(code, id);
  }

  async #deleteLive(
    model: EntityModel,
    header: RecordHeader,
    incoming: readonly IncomingReference[],
    {
      principal,
      grant,
      options,
      leaving,
    }: {
      principal: Principal;
      grant: RecordGrant;
      options: DeleteOptions;
      leaving: ReadonlySet<string>;
    },
  ): Promise<void> {
    const { hierarchical } = model.definition;
    const guarded = incoming.filter(({ onDelete }) => onDelete !== 'none');
    if (!hierarchical && guarded.length === 0)
      return this.#toTrash(model, header, principal, options, grant);
    const cascades = options.cascade ?? model.definition.options.onDeleteChildren === 'cascade';
    await this.#marked(model, header.id, options, async (mark) => {
      const below = hierarchical && cascades ? await this.#below(model, header.id, grant) : [];
      const all = new Set([...leaving, ...below]);
      // Check all before deleting any, so that a refusal leaves the tree intact.
      for (const id of [header.id, ...below])
        await this.#refuseReferenced(guarded, id, all, principal);
      for (const child of below.reverse()) {
        await this.#delete(model, child, principal, { cascade: false }, all);
      }
      const staged = currentUnitOfWork() ? [...all] : [];
      if (hierarchical) await this.#refuseChildren(model, header.id, staged);
      const known = { id: header.id, mark };
      await this.#toTrash(model, known, principal, options, grant);
    });
    for (const { entity, field, onDelete } of guarded) {
      if (onDelete !== 'setNull') continue;
      await this.#deps.jobs.start('CASCADE', entity, { field, id: header.id }, principal);
    }
  }

  /**
   * Runs work while a record is marked. The mark must be visible at once, so it is set outside the unit of work of
   * the caller, and removed when that one fails.
   */
  async #marked(
    model: EntityModel,
    id: string,
    options: DeleteOptions,
    work: (mark: string) => Promise<void>,
  ): Promise<void> {
    const { code } = model;
    for (let round = 1; ; round += 1) {
      const mark = this.#deps.ids();
      await this.#mark(code, id, (current) => {
        checkVersion(model, current, options.ifMatch);
        return mark;
      });
      const takeOff = () =>
        this.#mark(code, id, ({ deleting }) => (deleting === mark ? undefined : deleting));
      const around = currentUnitOfWork();
      around?.afterFailure(takeOff);
      try {
        return await work(mark);
      } catch (error) {
        if (!around) await takeOff();
        if (!(error instanceof MarkLost)) throw error;
        if (around || round === MAX_ROUNDS) throw httpProblems.concurrentUpdate();
      }
    }
  }

  /** Changes the mark of a live record. */
  #mark(
    code: string,
    id: string,
    next: (current: RecordHeader) => string | undefined,
  ): Promise<void> {
    const { repository, unitOfWork } = this.#deps;
    return apart(() =>
      unitOfWork(async (unit) => {
        const current = await repository.findHeader(code, id);
        if (!current || current.deletedAt !== undefined) return;
        const mark = next(current);
        if (mark !== current.deleting) stageMark(unit, code, current, mark);
      }),
    );
  }

  /** @param known what was just read, or the record that is marked */
  async #toTrash(
    model: EntityModel,
    known: RecordHeader | { readonly id: string; readonly mark: string },
    principal: Principal,
    { ifMatch }: DeleteOptions,
    grant: RecordGrant,
  ): Promise<void> {
    const { reader, writer, unitOfWork, clock } = this.#deps;
    const { id } = known;
    let fresh = 'mark' in known ? undefined : known;
    await unitOfWork(async (unit) => {
      // What was just read serves the first try; a lost race reads again.
      const stored = fresh ?? (await this.#load(model, id));
      fresh = undefined;
      if (!stored || stored.deletedAt !== undefined || !isGranted(model, stored, grant)) {
        throw problems.recordNotFound({ entity: model.code, id });
      }
      if ('mark' in known && stored.deleting !== known.mark) throw new MarkLost();
      checkVersion(model, stored, ifMatch);
      const before = await reader.decrypted(model, stored);
      const at = toInstant(clock.now());
      const { deleting: _mark, ...rest } = before;
      const after = {
        ...rest,
        version: before.version + 1,
        schemaVersion: model.definition.schemaVersion,
        updatedAt: at,
        updatedBy: principal.id,
        deletedAt: at,
        deletedBy: principal.id,
      };
      await writer.stage(unit, model, {
        action: 'DELETED',
        before,
        after,
        principal,
        otherwise: 'retry',
      });
    });
  }

  async #load(model: EntityModel, id: string): Promise<RecordHeader | undefined> {
    const { journal, largeValues } = this.#deps;
    const loaded = await journal.load(model.code, model.definition.options.shards, id);
    return loaded && asCurrent(model, await largeValues.complete(loaded));
  }

  async #find(model: EntityModel, id: string) {
    const { repository, definitions, largeValues } = this.#deps;
    const { header, other } = await repository.findHeaderWith(
      model.code,
      id,
      definitions.headKey(model.code),
    );
    const [complete] = header ? await largeValues.completeAll(model.code, [header]) : [];
    return {
      header: complete && asCurrent(model, complete),
      incoming: definitions.headOf(other)?.incoming ?? [],
    };
  }

  /** @param staged records that the unit of work around the caller deletes, too */
  async #refuseChildren(
    { code }: EntityModel,
    parentId: string,
    staged: readonly string[],
  ): Promise<void> {
    const limit = staged.length + 1;
    const children = await this.#deps.repository.treeRows(code, { parentId, limit });
    if (children.some(({ id }) => !staged.includes(id))) throw problems.hasChildren();
  }

  async #refuseReferenced(
    guarded: readonly IncomingReference[],
    id: string,
    leaving: ReadonlySet<string>,
    principal: Principal,
  ): Promise<void> {
    const { queries } = this.#deps;
    for (const { entity, field, onDelete } of guarded) {
      if (onDelete !== 'restrict') continue;
      if (!(await queries.isReferenced(entity, field, id, leaving))) continue;
      const isKnown = await queries.knowsField(entity, field, principal);
      throw problems.referenced(isKnown ? { entity, field } : undefined);
    }
  }

  /** The descendants of a record, parents first. @throws Problem `HAS_CHILDREN` (409) where the caller may not delete all of it */
  async #below(model: EntityModel, id: string, grant: RecordGrant): Promise<string[]> {
    const { repository, largeValues } = this.#deps;
    const below: string[] = [];
    const queue = [id];
    for (let parentId = queue.shift(); parentId !== undefined; parentId = queue.shift()) {
      const children = await repository.treeRows(model.code, { parentId, limit: MAX_CASCADE });
      for (const child of children) {
        below.push(child.id);
        queue.push(child.id);
      }
      if (below.length > MAX_CASCADE) throw problems.hasChildren();
    }
    for (let at = 0; at < below.length && grant.filter.kind !== 'all'; at += 100) {
      const headers = await repository.findHeaders(model.code, below.slice(at, at + 100), true);
      const complete = await largeValues.completeAll(model.code, [...headers.values()]);
      const isAll = complete.every((header) => isGranted(model, asCurrent(model, header), grant));
      if (!isAll) throw problems.hasChildren();
    }
    return below;
  }
}
