import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { IdentitySource } from '../domain/sources/source.ts';
import { FRESH_STATE, type SourceState } from '../domain/sources/source-state.ts';
import { isUnchanged } from './sealed-version.ts';
import {
  CODES_PARTITION,
  DELETED_PARTITION,
  deletedKey,
  nameKey,
  namesPartition,
  sourceCodeKey,
  sourceKey,
  stateKey,
} from './source-keys.ts';

interface HeadItem extends Item {
  readonly source: IdentitySource;
  readonly deletedAt?: string;
}

interface StateItem extends Item {
  readonly state: SourceState;
}

interface PointerItem extends Item {
  readonly sourceId: string;
}

/** What is thrown when another source has the code or the name. */
export interface SourceTaken {
  readonly code: () => Error;
  readonly name: () => Error;
}

/** Stored sources. */
export class SourceRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  /** A source of any tenant; one that is deleted does not exist. */
  async find(id: string): Promise<IdentitySource | undefined> {
    const item = await this.#table.get<HeadItem>(sourceKey(id));
    return item?.deletedAt === undefined ? item?.source : undefined;
  }

  async findByCode(code: string): Promise<IdentitySource | undefined> {
    const pointer = await this.#table.get<PointerItem>(sourceCodeKey(code));
    return pointer && this.find(pointer.sourceId);
  }

  /** What the runs of a source have left. */
  async state(id: string): Promise<SourceState> {
    return (await this.#table.get<StateItem>(stateKey(id)))?.state ?? FRESH_STATE;
  }

  /** The sources of a tenant by their names. */
  async ofTenant(tenant: string): Promise<readonly IdentitySource[]> {
    return this.#behind(await this.#pointers(namesPartition(tenant)));
  }

  /** The sources of all tenants. */
  async all(): Promise<readonly IdentitySource[]> {
    return this.#behind(await this.#pointers(CODES_PARTITION));
  }

  /** Codes of sources after one, in their order. */
  async codes(after: string | undefined, limit: number): Promise<readonly string[]> {
    const startKey = after === undefined ? undefined : { ...sourceCodeKey(after) };
    const found = await readAll(this.#table, { partition: CODES_PARTITION, startKey }, limit);
    return found.map(({ sk }) => sk);
  }

  /** Ids of sources that may have events, deleted ones among them. */
  async idsWithEvents(): Promise<readonly string[]> {
    const [live, deleted] = await Promise.all(
      [CODES_PARTITION, DELETED_PARTITION].map((partition) => this.#pointers(partition)),
    );
    return [...new Set([...(live ?? []), ...(deleted ?? [])].map(({ sourceId }) => sourceId))];
  }

  stageNew(unit: UnitOfWork, source: IdentitySource, taken: SourceTaken): void {
    const free = (otherwise: () => Error) => ({ condition: notExists, otherwise });
    unit.put(codePointer(source), free(taken.code));
    unit.put(namePointer(source), free(taken.name));
    unit.put(headItem(source), { condition: notExists, otherwise: 'retry' });
  }

  /** Stages the next version of a source; whoever has changed it meanwhile wins, and the unit runs again. */
  stage(
    unit: UnitOfWork,
    source: IdentitySource,
    before: IdentitySource,
    nameTaken: () => Error,
  ): void {
    unit.put(headItem(source), { condition: isUnchanged('source', before), otherwise: 'retry' });
    if (source.name.toLowerCase() === before.name.toLowerCase()) return;
    unit.put(namePointer(source), { condition: notExists, otherwise: nameTaken });
    unit.delete(nameKey(before.tenant, before.name));
  }

  /** Stages the texts of a source under a newer key: version and stamps stay, and whoever writes at that time reads again. */
  stageSealed(
    unit: UnitOfWork,
    source: IdentitySource,
    texts: Pick<IdentitySource, 'basicConfig' | 'eventSecrets'>,
  ): void {
    const next = { ...source, ...texts, seals: (source.seals ?? 0) + 1 };
    unit.put(headItem(next), { condition: isUnchanged('source', source), otherwise: 'retry' });
  }

  /** Stages the end of a source: what it was is kept without its secrets, and code and name are free again. */
  stageDeleted(
    unit: UnitOfWork,
    { basicConfig: _config, ...source }: IdentitySource,
    { at, by }: { readonly at: string; readonly by: string },
  ): void {
    const kept = { ...source, eventSecrets: '', version: source.version + 1 };
    unit.put(
      { ...headItem(kept), deletedAt: at, deletedBy: by },
      { condition: isUnchanged('source', source), otherwise: 'retry' },
    );
    unit.put({
      ...deletedKey(source.id),
      type: 'identity_source_deleted',
      sourceId: source.id,
      ttl: Math.ceil(Date.parse(at) / 1_000) + EVENTS_KEPT_S,
    });
    unit.delete(nameKey(source.tenant, source.name));
    unit.delete(sourceCodeKey(source.code));
    unit.delete(stateKey(source.id));
  }

  /** Stages the next version of what runs and registrations leave behind; whoever has changed it meanwhile wins. */
  stageState(unit: UnitOfWork, id: string, { version: before = 0, ...state }: SourceState): void {
    const version = before + 1;
    unit.put(
      { ...stateKey(id), type: 'identity_source_state', version, state: { ...state, version } },
      { condition: before === 0 ? notExists : versionIs(before), otherwise: 'retry' },
    );
  }

  #pointers(partition: string): Promise<readonly PointerItem[]> {
    return readAll<PointerItem>(this.#table, { partition });
  }

  async #behind(pointers: readonly PointerItem[]): Promise<readonly IdentitySource[]> {
    const items = await this.#table.getMany<HeadItem>(
      pointers.map(({ sourceId }) => sourceKey(sourceId)),
    );
    return items.map(({ source }) => source);
  }
}

/** Events of a deleted source expire after 30 days. */
const EVENTS_KEPT_S = 31 * 86_400;

const headItem = (source: IdentitySource) => ({
  ...sourceKey(source.id),
  type: 'identity_source',
  version: source.version,
  source,
});

const codePointer = ({ code, id }: IdentitySource) => ({
  ...sourceCodeKey(code),
  type: 'identity_source_code',
  sourceId: id,
});

const namePointer = ({ tenant, name, id }: IdentitySource) => ({
  ...nameKey(tenant, name),
  type: 'identity_source_name',
  sourceId: id,
});
