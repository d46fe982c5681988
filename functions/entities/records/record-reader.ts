import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordAction, RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { isUuid } from '../domain/values/ids.ts';
import { problems } from '../errors.ts';
import type { FieldCipher } from '../store/field-cipher.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { RowJournal } from '../store/row-journal.ts';

/** A record and the grant under which the caller has read or written it. */
export interface GrantedRecord {
  readonly header: RecordHeader;
  readonly grant: RecordGrant;
}

export interface RecordReaderDependencies {
  /** Loads records; that of the module completes interrupted changes. */
  readonly journal: Pick<RowJournal, 'load'>;
  readonly cipher: FieldCipher;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
}

/** Reads single records with large values and decrypted fields. */
export class RecordReader {
  readonly #deps: RecordReaderDependencies;

  constructor(dependencies: RecordReaderDependencies) {
    this.#deps = dependencies;
  }

  /**
   * One live record, or also one in the trash for who may delete it.
   * @throws Problem `RECORD_NOT_FOUND` (404), also when the caller's rows do not include it; `FORBIDDEN` (403)
   */
  async get(
    model: EntityModel,
    id: string,
    principal: Principal,
    includeDeleted = false,
  ): Promise<GrantedRecord> {
    const { access } = this.#deps;
    const allowed = await access.check(model, principal, includeDeleted ? 'delete' : 'view');
    const grant = await access.seen(model, principal, allowed);
    const header = await this.find(model, id, grant);
    if (header.deletedAt !== undefined && !includeDeleted) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    if (header.deletedAt === undefined) await access.check(model, principal, 'view');
    return { header: await this.decrypted(model, header), grant };
  }

  /**
   * A stored record, deleted or not; completes an interrupted change first.
   * @throws Problem `RECORD_NOT_FOUND` (404), also when the grant does not include it
   */
  async find(model: EntityModel, id: string, grant: RecordGrant): Promise<RecordHeader> {
    const header = await this.#load(model, id);
    if (!header || !isGranted(model, header, grant)) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    return header;
  }

  /**
   * A live record that the caller has written, and what that one may do by now.
   * @throws Problem `FORBIDDEN` (403) when the caller may not write it any more
   */
  async written(
    model: EntityModel,
    id: string,
    principal: Principal,
    action: RecordAction,
  ): Promise<GrantedRecord | undefined> {
    const grant = await this.#deps.access.check(model, principal, action);
    const header = await this.#load(model, id);
    if (!header || header.deletedAt !== undefined) return undefined;
    return { header: await this.decrypted(model, header), grant };
  }

  /** A record with decrypted fields. */
  decrypted(model: EntityModel, header: RecordHeader): Promise<RecordHeader> {
    return this.#deps.cipher.decrypt(model, header);
  }

  async #load(model: EntityModel, id: string): Promise<RecordHeader | undefined> {
    if (!isUuid(id)) return undefined;
    const { journal, largeValues } = this.#deps;
    const { shards } = model.definition.options;
    const loaded = await journal.load(model.code, shards, id.toLowerCase());
    if (!loaded) return undefined;
    return largeValues.complete(model, loaded);
  }
}
