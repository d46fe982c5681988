import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { firstCharacters } from '../../../shared/store/first-characters.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { isMasked } from '../domain/masking.ts';
import type { Setting, SettingVersion } from '../domain/setting.ts';
import {
  currentKey,
  DELETED_PARTITION,
  keyringKey,
  LIVE_PARTITION,
  settingPartition,
  VERSION_PREFIX,
  versionKey,
} from './setting-items.ts';

/** Characters of value and description that a list shows. */
const SUMMARY_LENGTH = 150;
/** Most former keys: with texts of `MAX_KEY_TEXT_BYTES` they stay below the 400 KB of an item. */
export const MAX_RING = 350;

/** Members of a setting in a list. */
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

type SettingItem = Item & Setting;
type VersionItem = Item & SettingVersion;
type SummaryItem = Item & { readonly summary: SettingSummary };
type KeyringItem = Item & { readonly entries: readonly FormerKey[] };

/** Stored settings, their history and the key ring. */
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
      partition: settingPartition(name),
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
      partition: settingPartition(name),
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
      partition: LIVE_PARTITION,
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

  stageKeyringEntries(
    unit: UnitOfWork,
    formerKeys: readonly FormerKey[],
    whenFull: () => Error,
  ): void {
    unit.update(
      keyringKey,
      {
        expression:
          'SET #type = :type, #entries = list_append(if_not_exists(#entries, :none), :former)',
        names: { '#type': 'type', '#entries': 'entries' },
        values: { ':type': 'setting', ':none': [], ':former': formerKeys },
      },
      {
        condition: {
          expression: 'attribute_not_exists(#entries) OR size(#entries) < :max',
          names: { '#entries': 'entries' },
          values: { ':max': MAX_RING },
        },
        otherwise: whenFull,
      },
    );
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
}

function toItem(setting: Setting): Item {
  return {
    ...currentKey(setting.name),
    ...setting,
    type: 'setting',
    gsi1pk: LIVE_PARTITION,
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

function summarise(setting: Setting): Readonly<Record<string, unknown>> {
  const masked = isMasked(setting);
  const { name, desc, secret, encrypted, version, updatedAt, updatedBy } = setting;
  const summary = {
    name,
    ...(masked ? {} : { value: firstCharacters(setting.value, SUMMARY_LENGTH) }),
    truncated: !masked && setting.value.length > SUMMARY_LENGTH,
    desc: firstCharacters(desc, SUMMARY_LENGTH),
    ...(secret === undefined ? {} : { secret }),
    masked,
    encrypted,
    version,
    updatedAt,
    updatedBy: firstCharacters(updatedBy, SUMMARY_LENGTH),
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
