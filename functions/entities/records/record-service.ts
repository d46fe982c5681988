import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { HistoryEntry, RecordHeader } from '../domain/entity/record.ts';
import { everything } from '../domain/query/filter.ts';
import { problems } from '../errors.ts';
import type { HistoryRepository } from '../store/history-repository.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { checkMove, checkNewPlace } from '../trees/tree-moves.ts';
import type { RecordDrafts, UpdateOptions } from './record-drafts.ts';
import type { RecordNumbers } from './record-numbers.ts';
import type { GrantedRecord, RecordReader } from './record-reader.ts';
import type { RecordWrite, RecordWriter } from './record-writer.ts';

export interface RecordServiceDependencies {
  readonly repository: RecordRepository;
  readonly histories: HistoryRepository;
  readonly reader: RecordReader;
  readonly writer: RecordWriter;
  readonly drafts: RecordDrafts;
  readonly recordNumbers: RecordNumbers;
  readonly access: EntityAccess;
  readonly unitOfWork: RunUnitOfWork;
}

/** Retry rounds of a change that keeps conflicting. */
const MAX_ROUNDS = 4;

/** Creates, changes and restores single records. */
export class RecordService {
  readonly #deps: RecordServiceDependencies;

  constructor(dependencies: RecordServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Creates a record.
   * @throws Problem `VALIDATION_FAILED`, `UNKNOWN_FIELD`, `REFERENCE_NOT_FOUND` (400), `UNIQUE_VIOLATION`, `RECORD_EXISTS` (409)
   */
  async create(model: EntityModel, body: JsonObject, principal: Principal): Promise<GrantedRecord> {
    const grant = await this.#deps.access.check(model, principal, 'add');
    const header = await this.#deps.drafts.created(model, body, principal, grant);
    return { header: await this.store(model, header, principal), grant };
  }

  /** Stores a new record that was checked, with its numbers. @throws Problem `UNIQUE_VIOLATION`, `RECORD_EXISTS` (409), `REFERENCE_NOT_FOUND` (400) */
  async store(
    model: EntityModel,
    header: RecordHeader,
    principal: Principal,
  ): Promise<RecordHeader> {
    const { repository, writer, unitOfWork, recordNumbers } = this.#deps;
    return unitOfWork(async (unit) => {
      const after = await recordNumbers.assigned(unit, model, header);
      if (header.parentId) await checkNewPlace(unit, repository, model.code, header);
      await writer.stage(unit, model, {
        action: 'CREATED',
        before: undefined,
        after,
        principal,
        otherwise: () => problems.recordExists({ id: header.id }),
      });
      return after;
    });
  }

  /**
   * Changes a record: what is sent replaces, `null` clears, the rest stays. Without `If-Match` changes of others in
   * between are kept.
   * @throws Problem `RECORD_NOT_FOUND` (404), `VERSION_CONFLICT` (412), `PRECONDITION_REQUIRED` (428), and those of `create`
   */
  async update(
    model: EntityModel,
    id: string,
    body: JsonObject,
    principal: Principal,
    options: UpdateOptions = {},
  ): Promise<GrantedRecord> {
    const grant = await this.#deps.access.check(model, principal, 'edit');
    const header = await this.#persistently(async (unit) => {
      const change = await this.#deps.drafts.changed(model, id, body, {
        principal,
        grant,
        options,
      });
      const { before, after } = change;
      if (change.isSame) return before;
      if (after.parentId !== before.parentId) {
        await checkMove(unit, this.#deps.repository, model.code, { before, after });
      }
      await this.#stage(unit, model, { action: 'UPDATED', before, after, principal });
      return after;
    });
    return { header, grant };
  }

  /**
   * Changes a record for a caller whose right comes from elsewhere, such as the workflow task that holds the form. Fields that
   * the entity does not declare are left out; when none is left, nothing is read.
   * @returns about how many writes of the transaction it takes; 0 when the record was like that already
   * @throws Problem `RECORD_NOT_FOUND` (404), and those of `update`
   */
  async merge(
    model: EntityModel,
    id: string,
    body: JsonObject,
    { principal, room, told }: Pick<RecordWrite, 'principal' | 'room' | 'told'>,
  ): Promise<number> {
    const entries = Object.entries(body).filter(([code]) => model.field(code));
    if (entries.length === 0) return 0;
    const declared = Object.fromEntries(entries);
    const grant = { action: 'edit' as const, filter: everything };
    const options = { ifMatch: '*' };
    return this.#deps.unitOfWork(async (unit) => {
      const change = await this.#deps.drafts.changed(model, id, declared, {
        principal,
        grant,
        options,
      });
      if (change.isSame) return 0;
      const { before, after } = change;
      const write = { action: 'UPDATED', before, after, principal, room, told } as const;
      return this.#stage(unit, model, write);
    });
  }

  /** Brings a record back from the trash. @throws Problem `RECORD_NOT_FOUND` (404), `UNIQUE_VIOLATION` (409), `REFERENCE_NOT_FOUND` (400) */
  async restore(model: EntityModel, id: string, principal: Principal): Promise<GrantedRecord> {
    const { repository, histories, reader, drafts, access, unitOfWork } = this.#deps;
    const grant = await access.check(model, principal, 'delete');
    // A job that has passed the live records and looks through the trash now would miss this one.
    await histories.forgetSecrets(model, id.toLowerCase());
    const header = await unitOfWork(async (unit) => {
      const before = await reader.decrypted(model, await reader.find(model, id, grant));
      if (before.deletedAt === undefined) return before;
      const after = await drafts.restored(model, before, principal);
      if (after.parentId) await checkNewPlace(unit, repository, model.code, after);
      await this.#stage(unit, model, { action: 'RESTORED', before, after, principal });
      return after;
    });
    return { header, grant };
  }

  /** Changes of a record, newest first. @throws Problem `RECORD_NOT_FOUND` (404) */
  async history(
    model: EntityModel,
    id: string,
    principal: Principal,
    page: PageRequest,
  ): Promise<ReadPage<HistoryEntry>> {
    const { grant } = await this.#deps.reader.get(model, id, principal, false, []);
    const found = await this.#deps.histories.page(model.code, id.toLowerCase(), page);
    const { fields } = grant;
    const isShown = (code: string): boolean => {
      const named = model.fieldsEverNamed(code);
      const isSecret = named.some(({ encrypted, writeOnly }) => encrypted || writeOnly);
      const codes = named.length > 0 ? named.map((field) => field.code) : [code];
      return !isSecret && codes.every((each) => fields?.has(each) ?? true);
    };
    const content = found.content.map((entry) => ({
      ...entry,
      changes: entry.changes.filter(({ field }) => isShown(field)),
    }));
    return { ...found, content };
  }

  /** Repeats a change that loses against others more often than a unit of work does: none of them has to fail. */
  async #persistently<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    for (let round = 1; ; round += 1) {
      try {
        return await this.#deps.unitOfWork(work);
      } catch (error) {
        const isLost = error instanceof Problem && error.code === 'CONCURRENT_UPDATE';
        if (!isLost || round === MAX_ROUNDS) throw error;
      }
    }
  }

  async #stage(
    unit: UnitOfWork,
    model: EntityModel,
    write: Omit<RecordWrite, 'otherwise' | 'rowsAreWritten'>,
  ): Promise<number> {
    return this.#deps.writer.stage(unit, model, { ...write, otherwise: 'retry' });
  }
}
