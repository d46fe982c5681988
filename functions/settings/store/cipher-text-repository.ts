import { isCipherText } from '../../../shared/security/aes-gcm-text.ts';
import { readPage } from '../../../shared/store/paged-read.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { AES_SECRET } from '../domain/setting.ts';
import { DELETED_PARTITION, LIVE_PARTITION, settingPartition } from './setting-items.ts';

/** A cipher text, and the item that holds it. */
export interface StoredText {
  readonly key: Key;
  readonly value: string;
}

type TextItem = Item & { readonly value?: string; readonly encrypted?: boolean };

/** The cipher texts of settings and their histories, deleted settings included. */
export class CipherTextRepository {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Names of settings, or of deleted ones, in their order. */
  async names(
    list: 'live' | 'deleted',
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly names: readonly string[]; readonly cursor: string | undefined }> {
    const query = {
      index: 'gsi1' as const,
      partition: list === 'live' ? LIVE_PARTITION : DELETED_PARTITION,
    };
    const page = { size: limit, ...(cursor === undefined ? {} : { cursor }) };
    const found = await readPage<Item>(this.#table, query, page, ['names', list, limit]);
    const names = found.content.map(({ pk }) => pk.slice(settingPartition('').length));
    return { names: [...new Set(names)], cursor: found.nextCursor ?? undefined };
  }

  /** Cipher texts of a setting and its history, after a key. */
  async texts(
    name: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly texts: readonly StoredText[]; readonly after: string | undefined }> {
    const pk = settingPartition(name);
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
}

/** The cipher text of an item; none of readable ones, and never that of the AES key. */
function toText({ pk, sk, value, encrypted = false }: TextItem): StoredText[] {
  if (value === undefined || pk === settingPartition(AES_SECRET)) return [];
  return encrypted || isCipherText(value) ? [{ key: { pk, sk }, value }] : [];
}
