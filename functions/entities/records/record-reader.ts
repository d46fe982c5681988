import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordAction, RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import { largeOf } from '../domain/records/large-values.ts';
import { isUuid } from '../domain/values/ids.ts';
import { problems } from '../errors.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { FieldCipher } from '../store/values/field-cipher.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

/** A record and the grant under which the caller has read or written it. */
export interface GrantedRecord {
  readonly header: RecordHeader;
  readonly grant: RecordGrant;
}

export interface RecordReaderDependencies {
  /** Loads records; that of the module completes interrupted changes. */
  readonly journal: Pick<RowJournal, 'load'>;
  readonly cipher: FieldCipher;
  readonly repository: Pick<RecordRepository, 'findHeaders'>;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
}

/** Attempts of a read in parts while others keep changing the record. */
const MAX_ROUNDS = 3;

/** Reads single records with large values and decrypted fields. */
export class RecordReader {
  readonly #deps: RecordReaderDependencies;

  constructor(dependencies: RecordReaderDependencies) {
    this.#deps = dependencies;
  }

  /**
   * One live record, or also one in the trash for who may delete it.
   * @param fields whose large values are read; all when there is no list
   * @throws Problem `RECORD_NOT_FOUND` (404), also when the caller's rows do not include it; `FORBIDDEN` (403)
   */
  async get(
    model: EntityModel,
    id: string,
    principal: Principal,
    includeDeleted = false,
    fields?: readonly string[],
  ): Promise<GrantedRecord> {
    const { access } = this.#deps;
    const allowed = await access.check(model, principal, includeDeleted ? 'delete' : 'view');
    const grant = await access.seen(model, principal, allowed);
    const needed = fields && neededBy(model, grant.filter, fields);
    const header = await this.find(model, id, grant, needed);
    if (header.deletedAt !== undefined && !includeDeleted) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    if (header.deletedAt === undefined) await access.check(model, principal, 'view');
    return { header: await this.decrypted(model, header), grant };
  }

  /**
   * A stored record, deleted or not; completes an interrupted change first, unless only some large values are wanted.
   * @throws Problem `RECORD_NOT_FOUND` (404), also when the grant does not include it
   */
  async find(
    model: EntityModel,
    id: string,
    grant: RecordGrant,
    fields?: ReadonlySet<string>,
  ): Promise<RecordHeader> {
    const header = await (fields ? this.#part(model, id, fields) : this.stored(model, id));
    if (!header || !isGranted(model, header, grant)) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    return header;
  }

  /**
   * A live record that the caller has written before, with the grant of now.
   * @throws Problem `FORBIDDEN` (403) when the caller may not write it any more
   */
  async written(
    model: EntityModel,
    id: string,
    principal: Principal,
    action: RecordAction,
  ): Promise<GrantedRecord | undefined> {
    const grant = await this.#deps.access.check(model, principal, action);
    const header = await this.stored(model, id);
    if (!header || header.deletedAt !== undefined) return undefined;
    return { header: await this.decrypted(model, header), grant };
  }

  /** A record as it is stored, deleted or not, after completing an interrupted change; none when there is none. */
  async stored(model: EntityModel, id: string): Promise<RecordHeader | undefined> {
    if (!isUuid(id)) return undefined;
    const { journal, largeValues } = this.#deps;
    const loaded = await journal.load(model, id.toLowerCase());
    return loaded && largeValues.complete(model, loaded);
  }

  /** A record with decrypted fields. */
  decrypted(model: EntityModel, header: RecordHeader): Promise<RecordHeader> {
    return this.#deps.cipher.decrypt(model, header);
  }

  /** A record with the large values of some fields alone, all of the same version. */
  async #part(
    model: EntityModel,
    id: string,
    fields: ReadonlySet<string>,
  ): Promise<RecordHeader | undefined> {
    if (!isUuid(id)) return undefined;
    const { largeValues } = this.#deps;
    let seen = await this.#bare(model, id);
    for (let round = 0; seen && round < MAX_ROUNDS; round += 1) {
      const [header] = await largeValues.completeAll(model, [seen], fields, true);
      if (largeOf(model, seen, fields).length === 0) return header;
      const now = await this.#bare(model, id);
      if (now && isSameState(now, seen)) return header;
      seen = now;
    }
    return seen && this.stored(model, id);
  }

  async #bare(model: EntityModel, id: string): Promise<RecordHeader | undefined> {
    const found = await this.#deps.repository.findHeaders(model.code, [id.toLowerCase()], true);
    return found.get(id.toLowerCase());
  }
}

const isSameState = (one: RecordHeader, other: RecordHeader): boolean =>
  one.version === other.version && one.generation === other.generation && one.seals === other.seals;
