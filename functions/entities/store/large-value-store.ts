import { createHash } from 'node:crypto';
import type { Files } from '../../../shared/files/files.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { LargeValue, RecordHeader } from '../domain/entity/record.ts';
import {
  MAX_ITEM_BYTES,
  type SplitRecord,
  splitLarge,
  unbundled,
} from '../domain/records/large-values.ts';
import type { LoadedRecord } from '../domain/records/loaded-record.ts';
import type { RecordRepository } from './record-repository.ts';

/** No request carries a larger value. */
const MAX_VALUE_BYTES = 16 * 1_024 * 1_024;

/** Stores values that are too large for the item of their record. */
export class LargeValueStore {
  readonly #repository: RecordRepository;
  readonly #files: Files;

  constructor(repository: RecordRepository, files: Files) {
    this.#repository = repository;
    this.#files = files;
  }

  /** A loaded record with all its values. */
  async complete({ header, large }: LoadedRecord): Promise<RecordHeader> {
    return this.#withValues(header, (field) => large.get(field));
  }

  /** Records of a list with all their values; costs nothing when none has large ones. */
  async completeAll(entity: string, headers: readonly RecordHeader[]): Promise<RecordHeader[]> {
    const wanted = headers.flatMap(({ id, spilled = [] }) =>
      spilled.map((field) => ({ id, field })),
    );
    if (wanted.length === 0) return [...headers];
    const found = await this.#repository.findLarge(entity, wanted);
    return Promise.all(
      headers.map((header) =>
        this.#withValues(header, (field) => found.get(`${header.id}#${field}`)),
      ),
    );
  }

  /** Takes large values out of a record; those for the bucket are written there at once. */
  async split(
    entity: string,
    header: RecordHeader,
  ): Promise<SplitRecord & { readonly values: ReadonlyMap<string, LargeValue> }> {
    const split = splitLarge(header);
    const values = new Map<string, LargeValue>();
    for (const [field, text] of split.large) {
      values.set(field, await this.keep(entity, header.id, text));
    }
    return { ...split, values };
  }

  /** Deletes the objects of a record that is purged. */
  async deleteObjects(large: ReadonlyMap<string, LargeValue>): Promise<void> {
    for (const value of large.values())
      if ('object' in value) await this.#files.delete(value.object);
  }

  /** Where a large value goes; for the bucket it is written there at once. */
  async keep(entity: string, id: string, text: string): Promise<LargeValue> {
    if (Buffer.byteLength(text) <= MAX_ITEM_BYTES) return { text };
    const digest = createHash('sha256').update(text).digest('hex');
    const object = `entities/values/${entity}/${id}/${digest}.json`;
    await this.#files.write(object, Buffer.from(text), 'application/json');
    return { object };
  }

  async #withValues(
    header: RecordHeader,
    read: (field: string) => LargeValue | undefined,
  ): Promise<RecordHeader> {
    if (!header.spilled || header.spilled.length === 0) return header;
    const parts = await Promise.all(
      header.spilled.map(async (name): Promise<JsonObject> => {
        const value = read(name);
        return value ? unbundled(name, await this.text(value)) : {};
      }),
    );
    return { ...header, values: Object.assign({ ...header.values }, ...parts) };
  }

  /** The JSON text of a large value. */
  async text(value: LargeValue): Promise<string> {
    return 'text' in value ? value.text : this.#object(value.object);
  }

  async #object(path: string): Promise<string> {
    const file = await this.#files.read(path, MAX_VALUE_BYTES);
    if (!file) throw new Error(`The bucket has no ${path}`);
    return Buffer.from(file.body).toString();
  }
}
