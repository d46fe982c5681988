import { toInstant } from '../../shared/primitives/clock.ts';
import {
  type EpochEntry,
  type EpochItem,
  entrySortKey,
  epochKey,
  REFRESH_PARTITION,
} from '../../shared/refresh/epoch-items.ts';
import { isCipherText } from '../../shared/security/aes-gcm-text.ts';
import { notExists, versionIs } from '../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../shared/store/paged-read.ts';
import type { Item, Key, Table } from '../../shared/store/table.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { isMasked } from './domain/masking.ts';
import { AES_SECRET, type Setting, type SettingVersion } from './domain/setting.ts';

/*
 * Access patterns
 *   one setting                     get    setting#<name> / current
 *   its history, newest first       query  setting#<name> / v#<12 digits>, reverse
 *   settings by prefix              query  gsi1: setting / begins_with <prefix>
 *   names of deleted settings       query  gsi1: setting#deleted / <name>
 *   former AES keys                 get    setting#security.aes_secret / keyring
 *   refresh epoch and its entries   setting#@refresh / epoch, e#<12 digits>
 */
const partition = (name: string): string => `setting#${name}`;
const currentKey = (name: string): Key => ({ pk: partition(name), sk: 'current' });
const VERSION_PREFIX = 'v#';
const versionKey = (name: string, version: number): Key => ({
  pk: partition(name),
  sk: `${VERSION_PREFIX}${String(version).padStart(12, '0')}`,
});
const keyringKey: Key = { pk: partition(AES_SECRET), sk: 'keyring' };
const INDEX_PARTITION = 'setting';
const DELETED_PARTITION = 'setting#deleted';

/** Characters of value and description that a list shows. */
const SUMMARY_LENGTH = 150;
const ENTRY_TTL_SECONDS = 24 * 3_600;

/** What a list knows of a setting. */
export interface SettingSummary {
  readonly name: string;
  /** The beginning of the value; absent when it is masked. */
  readonly value?: string;
  readonly truncated: boolean;
  readonly desc: string;
  readonly secret?: boolean;
  readonly masked: boolean;
  readonly encrypted: boolean;
  readonly version: number;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** A text that the AES setting held. */
export interface FormerKey {
  readonly value: string;
  /** Version of the secret, when the text points to one. */
  readonly keyVersion?: string | undefined;
  readonly replacedAt: string;
  /** Whether each setting that was deleted while the key was in use is listed; the ring keeps any other key. */
  readonly deletionsListed?: true | undefined;
}

/** A cipher text, and the item that holds it. */
export interface StoredText {
  readonly key: Key;
  readonly value: string;
}

type TextItem = Item & { readonly value?: string; readonly encrypted?: boolean };
type SettingItem = Item & Setting;
type VersionItem = Item & SettingVersion;
type SummaryItem = Item & { readonly summary: SettingSummary };
type KeyringItem = Item & { readonly entries: readonly FormerKey[] };

/** Stored settings, their history, the key ring and the refresh epoch. */
export class SettingRepository {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async find(name: string): Promise<Setting | undefined> {
    return this.#table.get<SettingItem>(currentKey(name));
  }

  /** The newest entry in the history of a name, a deletion included; `undefined` when it never existed. */
  async newestVersion(name: string): Promise<SettingVersion | undefined> {
    const { items } = await this.#table.query<VersionItem>({
      partition: partition(name),
      beginsWith: VERSION_PREFIX,
      limit: 1,
      reverse: true,
      consistent: true,
    });
    return items[0];
  }

  async findVersion(name: string, version: number): Promise<SettingVersion | undefined> {
    return this.#table.get<VersionItem>(versionKey(name, version));
  }

  async history(name: string, page: PageRequest): Promise<ReadPage<SettingVersion>> {
    const query = {
      partition: partition(name),
      beginsWith: VERSION_PREFIX,
      reverse: true,
      consistent: true,
    };
    return readPage<VersionItem>(this.#table, query, page, ['history', name, page.size]);
  }

  /** Settings in the order of their names; the index follows writes within moments. */
  async list(
    { prefix, q }: { readonly prefix?: string | undefined; readonly q?: string | undefined },
    page: PageRequest,
  ): Promise<ReadPage<SettingSummary>> {
    const filter = q === undefined ? undefined : containsText(q.toLowerCase());
    const query = {
      index: 'gsi1' as const,
      partition: INDEX_PARTITION,
      ...(prefix ? { beginsWith: prefix } : {}),
      ...(filter ? { filter } : {}),
    };
    const found = await readPage<SummaryItem>(this.#table, query, page, [
      'list',
      prefix,
      q,
      page.size,
    ]);
    return { ...found, content: found.content.map(({ summary }) => summary) };
  }

  /** Stages what becomes of a setting. When it has changed meanwhile, the unit is run again. */
  stageCurrent(
    unit: UnitOfWork,
    name: string,
    { from, to }: { readonly from: Setting | undefined; readonly to: Setting | undefined },
  ): void {
    const guard = { condition: versionIs(from?.version ?? 0), otherwise: 'retry' } as const;
    if (to) unit.put(toItem(to), guard);
    else if (from) unit.delete(currentKey(name), guard);
    else unit.check(currentKey(name), guard);
  }

  stageVersions(unit: UnitOfWork, name: string, entries: readonly SettingVersion[]): void {
    for (const entry of entries) {
      unit.put(toVersionItem(name, entry), { condition: notExists, otherwise: 'retry' });
    }
  }

  /** Former texts of the AES setting, oldest first. */
  async keyring(): Promise<readonly FormerKey[]> {
    return (await this.#table.get<KeyringItem>(keyringKey))?.entries ?? [];
  }

  stageKeyringEntries(unit: UnitOfWork, formerKeys: readonly FormerKey[]): void {
    unit.update(keyringKey, {
      expression:
        'SET #type = :type, #entries = list_append(if_not_exists(#entries, :none), :former)',
      names: { '#type': 'type', '#entries': 'entries' },
      values: { ':type': 'setting', ':none': [], ':former': formerKeys },
    });
  }

  /** Removes entries of the ring. @returns their number */
  async removeFromRing(unit: UnitOfWork, isUnused: (key: FormerKey) => boolean): Promise<number> {
    const seen = await this.keyring();
    const kept = seen.filter((key) => !isUnused(key));
    if (kept.length === seen.length) return 0;
    unit.update(
      keyringKey,
      {
        expression: 'SET #entries = :kept',
        names: { '#entries': 'entries' },
        values: { ':kept': kept },
      },
      {
        condition: {
          expression: '#entries = :seen',
          names: { '#entries': 'entries' },
          values: { ':seen': seen },
        },
        otherwise: 'retry',
      },
    );
    return seen.length - kept.length;
  }

  /** Names of settings, or of deleted ones, in their order. */
  async names(
    list: 'live' | 'deleted',
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly names: readonly string[]; readonly cursor: string | undefined }> {
    const query = {
      index: 'gsi1' as const,
      partition: list === 'live' ? INDEX_PARTITION : DELETED_PARTITION,
    };
    const page = { size: limit, ...(cursor === undefined ? {} : { cursor }) };
    const found = await readPage<Item>(this.#table, query, page, ['names', list, limit]);
    const names = found.content.map(({ pk }) => pk.slice(partition('').length));
    return { names: [...new Set(names)], cursor: found.nextCursor ?? undefined };
  }

  /** Cipher texts of a setting and its history, after a key. */
  async texts(
    name: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly texts: readonly StoredText[]; readonly after: string | undefined }> {
    const pk = partition(name);
    const { items, lastKey } = await this.#table.query<TextItem>({
      partition: pk,
      limit,
      consistent: true,
      startKey: after === undefined ? undefined : { pk, sk: after },
    });
    return { texts: items.flatMap(toText), after: lastKey && items.at(-1)?.sk };
  }

  async text(key: Key): Promise<StoredText | undefined> {
    const item = await this.#table.get<TextItem>(key);
    return item && toText(item)[0];
  }

  /** Stages another cipher text of the same value; versions stay. */
  stageText(
    unit: UnitOfWork,
    key: Key,
    { from, to }: { readonly from: string; readonly to: string },
  ): void {
    const names = { '#value': 'value' };
    unit.update(
      key,
      { expression: 'SET #value = :to', names, values: { ':to': to } },
      {
        condition: { expression: '#value = :from', names, values: { ':from': from } },
        otherwise: 'retry',
      },
    );
  }

  async epoch(): Promise<number> {
    return (await this.#table.get<EpochItem>(epochKey))?.epoch ?? 0;
  }

  /** Stages one step of `epoch` for each refreshed key. */
  stageEpochSteps(unit: UnitOfWork, epoch: number, keys: readonly string[], nowMs: number): void {
    const last = epoch + keys.length;
    unit.update(
      epochKey,
      {
        expression: 'SET #type = :type, #epoch = :last',
        names: { '#type': 'type', '#epoch': 'epoch' },
        values: { ':type': 'setting', ':last': last },
      },
      {
        condition:
          epoch === 0
            ? notExists
            : {
                expression: '#epoch = :epoch',
                names: { '#epoch': 'epoch' },
                values: { ':epoch': epoch },
              },
        otherwise: 'retry',
      },
    );
    for (const [index, key] of keys.entries()) {
      const step = epoch + index + 1;
      unit.put({
        pk: REFRESH_PARTITION,
        sk: entrySortKey(step),
        type: 'setting',
        epoch: step,
        key,
        createdAt: toInstant(nowMs),
        ttl: Math.floor(nowMs / 1_000) + ENTRY_TTL_SECONDS,
      } satisfies EpochEntry);
    }
  }
}

function toItem(setting: Setting): Item {
  return {
    ...currentKey(setting.name),
    ...setting,
    type: 'setting',
    gsi1pk: INDEX_PARTITION,
    gsi1sk: setting.name,
    summary: summarise(setting),
  };
}

function toVersionItem(name: string, entry: SettingVersion): Item {
  return {
    ...versionKey(name, entry.version),
    ...entry,
    type: 'setting',
    // A deleted setting is in no other index, and its history stays.
    ...(entry.change === 'DELETED' && { gsi1pk: DELETED_PARTITION, gsi1sk: name }),
  };
}

/** The cipher text of an item; none of readable ones, and never that of the AES key. */
function toText({ pk, sk, value, encrypted = false }: TextItem): StoredText[] {
  if (value === undefined || pk === partition(AES_SECRET)) return [];
  return encrypted || isCipherText(value) ? [{ key: { pk, sk }, value }] : [];
}

function summarise(setting: Setting): Readonly<Record<string, unknown>> {
  const masked = isMasked(setting);
  const { name, desc, secret, encrypted, version, updatedAt, updatedBy } = setting;
  const summary = {
    name,
    ...(masked ? {} : { value: setting.value.slice(0, SUMMARY_LENGTH) }),
    truncated: !masked && setting.value.length > SUMMARY_LENGTH,
    desc: desc.slice(0, SUMMARY_LENGTH),
    ...(secret === undefined ? {} : { secret }),
    masked,
    encrypted,
    version,
    updatedAt,
    updatedBy: updatedBy.slice(0, SUMMARY_LENGTH),
  } satisfies SettingSummary;
  return { ...summary, search: `${name} ${summary.desc}`.toLowerCase() };
}

function containsText(text: string) {
  return {
    expression: 'contains(#summary.#search, :text)',
    names: { '#summary': 'summary', '#search': 'search' },
    values: { ':text': text },
  };
}
