import { Problem } from '../../shared/http/problem.ts';
import { httpProblems } from '../../shared/http/problems.ts';
import { type Clock, toInstant } from '../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../shared/primitives/ids.ts';
import type { Principal } from '../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../shared/store/unit-of-work.ts';
import type { EntityModel } from './domain/model.ts';
import { matches } from './domain/query/filter.ts';
import { recordWords } from './domain/records/index-rows.ts';
import { isUuid, mergeValues, readInput } from './domain/records/merge.ts';
import { changedFields } from './domain/records/present.ts';
import type { HistoryEntry, LoadedRecord, RecordHeader } from './domain/records/record.ts';
import type { JsonObject } from './domain/schema/json.ts';
import type { EntityAccess, RecordGrant } from './entity-access.ts';
import { problems } from './errors.ts';
import type { LargeValueStore } from './large-value-store.ts';
import type { RecordRepository } from './record-repository.ts';
import { asCurrent } from './record-source.ts';
import type { RecordWriter } from './record-writer.ts';
import { checkMove, checkNewPlace } from './tree-rules.ts';

/** A record and what the caller may see of it. */
export interface GrantedRecord {
  readonly header: RecordHeader;
  readonly grant: RecordGrant;
}

/** How a record is changed. */
export interface UpdateOptions {
  /** The version the caller read; `*` stands for any. */
  readonly ifMatch?: string | undefined;
  /** Fields that are not sent are cleared. */
  readonly replace?: boolean;
}

/** What the service needs from outside. */
export interface RecordServiceDependencies {
  readonly repository: RecordRepository;
  readonly writer: RecordWriter;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Rounds of tries of a change that others keep overtaking. */
const MAX_ROUNDS = 4;

/** Reads, creates and changes single records. */
export class RecordService {
  readonly #to: RecordServiceDependencies;

  constructor(dependencies: RecordServiceDependencies) {
    this.#to = dependencies;
  }

  /**
   * One live record.
   * @throws Problem `RECORD_NOT_FOUND` (404), also when the caller's rows do not include it; `FORBIDDEN` (403)
   */
  async get(
    model: EntityModel,
    id: string,
    principal: Principal,
    includeDeleted = false,
  ): Promise<GrantedRecord> {
    const grant = await this.#to.access.check(model, principal, includeDeleted ? 'delete' : 'view');
    const header = await this.#read(model, id);
    if (
      !header ||
      (header.deletedAt !== undefined && !includeDeleted) ||
      !isGranted(model, header, grant)
    ) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    return { header: await this.decrypted(model, header), grant };
  }

  /**
   * Creates a record.
   * @throws Problem `VALIDATION_FAILED`, `UNKNOWN_FIELD`, `REFERENCE_NOT_FOUND` (400), `UNIQUE_VIOLATION`, `RECORD_EXISTS` (409)
   */
  async create(model: EntityModel, body: JsonObject, principal: Principal): Promise<GrantedRecord> {
    const grant = await this.#to.access.check(model, principal, 'add');
    const header = this.newHeader(model, body, principal, grant);
    await this.store(model, header, principal);
    return { header, grant };
  }

  /** Stores a new record that was checked. @throws Problem `UNIQUE_VIOLATION`, `RECORD_EXISTS` (409), `REFERENCE_NOT_FOUND` (400) */
  async store(model: EntityModel, header: RecordHeader, principal: Principal): Promise<void> {
    const { repository, writer, unitOfWork } = this.#to;
    await unitOfWork(async (unit) => {
      if (header.parentId) await checkNewPlace(unit, repository, model.code, header);
      await writer.stage(unit, model, {
        action: 'CREATED',
        before: undefined,
        after: header,
        actor: principal.id,
        otherwise: () => problems.recordExists({ id: header.id }),
      });
    });
  }

  /** A checked new record, not stored yet. @throws Problem `VALIDATION_FAILED`, `UNKNOWN_FIELD` (400) */
  newHeader(
    model: EntityModel,
    body: JsonObject,
    principal: Principal,
    grant: RecordGrant,
  ): RecordHeader {
    const { clock, ids } = this.#to;
    const input = readInput(model, body, grant.fields);
    const at = toInstant(clock.now());
    const header: RecordHeader = {
      id: input.id ?? ids(),
      values: mergeValues(model, {}, input.values),
      version: 1,
      schemaVersion: model.definition.schemaVersion,
      createdAt: at,
      createdBy: principal.id,
      updatedAt: at,
      updatedBy: principal.id,
      ...(input.parentId && { parentId: input.parentId }),
    };
    if (!isGranted(model, header, grant)) throw httpProblems.forbidden({});
    return header;
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
    const grant = await this.#to.access.check(model, principal, 'edit');
    const { writer } = this.#to;
    const header = await this.#persistently(async (unit) => {
      const before = await this.#forChange(model, id, grant, options.ifMatch);
      const after = this.#changed(model, before, body, principal, grant, options.replace ?? false);
      if (isSameRecord(before, after)) return before;
      if (after.parentId !== before.parentId)
        await checkMove(unit, this.#to.repository, model.code, { before, after });
      await writer.stage(unit, model, {
        action: 'UPDATED',
        before,
        after,
        actor: principal.id,
        otherwise: 'retry',
      });
      return after;
    });
    return { header, grant };
  }

  /** Changes that keep losing against others are tried some more: without `If-Match` each has its turn. */
  async #persistently<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    for (let round = 1; ; round += 1) {
      try {
        return await this.#to.unitOfWork(work);
      } catch (error) {
        const isLost = error instanceof Problem && error.code === 'CONCURRENT_UPDATE';
        if (!isLost || round === MAX_ROUNDS) throw error;
      }
    }
  }

  /** Brings a record back from the trash. @throws Problem `RECORD_NOT_FOUND` (404), `UNIQUE_VIOLATION` (409), `REFERENCE_NOT_FOUND` (400) */
  async restore(model: EntityModel, id: string, principal: Principal): Promise<GrantedRecord> {
    const grant = await this.#to.access.check(model, principal, 'delete');
    const { repository, writer, unitOfWork } = this.#to;
    const header = await unitOfWork(async (unit) => {
      const stored = await this.#read(model, id);
      if (!stored || !isGranted(model, stored, grant)) {
        throw problems.recordNotFound({ entity: model.code, id });
      }
      const before = await this.decrypted(model, stored);
      if (before.deletedAt === undefined) return before;
      const { deletedAt: _at, deletedBy: _by, deleting: _mark, ...rest } = before;
      const after = { ...rest, ...this.#stamp(model, before, principal) };
      if (after.parentId) await checkNewPlace(unit, repository, model.code, after);
      await writer.stage(unit, model, {
        action: 'RESTORED',
        before,
        after,
        actor: principal.id,
        otherwise: 'retry',
      });
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
    const { grant } = await this.get(model, id, principal);
    const found = await this.#to.repository.history(model.code, id.toLowerCase(), page);
    const { fields } = grant;
    if (!fields) return found;
    const content = found.content.map((entry) => ({
      ...entry,
      changes: entry.changes.filter(({ field }) => fields.has(field)),
    }));
    return { ...found, content };
  }

  /** A record with its encrypted fields in the clear. */
  async decrypted(model: EntityModel, header: RecordHeader): Promise<RecordHeader> {
    const values = await this.#to.writer.decrypt(model, header.values);
    return values === header.values ? header : { ...header, values };
  }

  /** A record as it is stored, deleted or not; finishes what an interrupted change has left. */
  async #read(model: EntityModel, id: string): Promise<RecordHeader | undefined> {
    if (!isUuid(id)) return undefined;
    const { repository, largeValues } = this.#to;
    const loaded = await repository.load(model.code, id.toLowerCase());
    if (!loaded) return undefined;
    await this.#finish(model, loaded);
    return asCurrent(model, await largeValues.complete(loaded));
  }

  async #finish(
    { code, definition }: EntityModel,
    { header, leftOver }: LoadedRecord,
  ): Promise<void> {
    if (leftOver.length === 0) return;
    await this.#to.repository.deleteLeftOver(code, definition.options.shards, header.id, leftOver);
  }

  async #forChange(
    model: EntityModel,
    id: string,
    grant: RecordGrant,
    ifMatch: string | undefined,
  ): Promise<RecordHeader> {
    const stored = await this.#read(model, id);
    if (!stored || stored.deletedAt !== undefined || !isGranted(model, stored, grant)) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    checkVersion(model, stored, ifMatch);
    return this.decrypted(model, stored);
  }

  #changed(
    model: EntityModel,
    before: RecordHeader,
    body: JsonObject,
    principal: Principal,
    grant: RecordGrant,
    replace: boolean,
  ): RecordHeader {
    const input = readInput(model, body, grant.fields);
    const kept = replace ? keptOnReplace(model, before, grant) : before.values;
    const { parentId: oldParent, deleting: _mark, ...rest } = before;
    const parentId =
      input.parentId === undefined
        ? replace
          ? undefined
          : oldParent
        : (input.parentId ?? undefined);
    const after: RecordHeader = {
      ...rest,
      ...(parentId && { parentId }),
      values: mergeValues(model, kept, input.values),
      ...this.#stamp(model, before, principal),
    };
    if (!isGranted(model, after, grant)) throw httpProblems.forbidden({});
    return after;
  }

  #stamp(model: EntityModel, before: RecordHeader, principal: Principal) {
    return {
      version: before.version + 1,
      schemaVersion: model.definition.schemaVersion,
      updatedAt: toInstant(this.#to.clock.now()),
      updatedBy: principal.id,
    };
  }
}

/** Whether a record exists for a caller. */
export function isGranted(
  model: EntityModel,
  header: RecordHeader,
  { filter }: RecordGrant,
): boolean {
  return matches(filter, header, model, (each) => recordWords(model, model.wordFields, each));
}

/** @throws Problem `VERSION_CONFLICT` (412), `PRECONDITION_REQUIRED` (428) */
export function checkVersion(
  { definition }: EntityModel,
  { version }: RecordHeader,
  ifMatch: string | undefined,
): void {
  if (ifMatch === undefined) {
    if (definition.options.requireIfMatch) throw problems.preconditionRequired();
    return;
  }
  if (ifMatch !== '*' && ifMatch !== String(version)) {
    throw httpProblems.versionConflict(
      { expected: ifMatch, actual: version },
      { extensions: { current: version, currentVersion: version } },
    );
  }
}

/** A replacement clears what the caller may write; fields that it cannot send stay. */
function keptOnReplace(
  model: EntityModel,
  { values }: RecordHeader,
  { fields }: RecordGrant,
): JsonObject {
  const isKept = (code: string): boolean => {
    const field = model.field(code);
    return (
      field === undefined ||
      field.readOnly ||
      field.writeOnly ||
      (fields !== undefined && !fields.has(code))
    );
  };
  return Object.fromEntries(Object.entries(values).filter(([code]) => isKept(code)));
}

function isSameRecord(one: RecordHeader, other: RecordHeader): boolean {
  return (
    one.parentId === other.parentId &&
    one.deleting === other.deleting &&
    changedFields(one.values, other.values).length === 0
  );
}
