import type { Files } from '../../../shared/files/files.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { LargeValue, RecordHeader } from '../domain/entity/record.ts';
import { tokenOf } from '../domain/records/deletion-mark.ts';
import { MAX_ITEM_BYTES, unbundled } from '../domain/records/large-values.ts';
import type { LoadedRecord } from '../domain/records/loaded-record.ts';
import type { OpenWork } from './open-work.ts';
import type { RecordRepository } from './record-repository.ts';

/** No request carries a larger value. */
const MAX_VALUE_BYTES = 16 * 1_024 * 1_024;

/** Stores values that are too large for the item of their record. */
export class LargeValueStore {
  readonly #repository: RecordRepository;
  readonly #files: Files;
  readonly #openWork: OpenWork;

  constructor(repository: RecordRepository, files: Files, openWork: OpenWork) {
    this.#repository = repository;
    this.#files = files;
    this.#openWork = openWork;
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

  /** Deletes objects that no record needs. */
  async deleteObjects(objects: readonly string[]): Promise<void> {
    for (const object of objects) await this.#files.delete(object);
  }

  /**
   * Where a large value goes. One for the bucket is written there at once, as an object of its own, which is erased
   * unless the unit commits.
   */
  async keep(unit: UnitOfWork, entity: string, id: string, text: string): Promise<LargeValue> {
    if (Buffer.byteLength(text) <= MAX_ITEM_BYTES) return { text };
    const name = this.#openWork.newName();
    const object = `entities/values/${entity}/${id}/${tokenOf(name)}.json`;
    const work = { kind: 'ERASE', entity, id, objects: [object], isGone: false } as const;
    await this.#openWork.write(name, work);
    faultPoint('entities.before-object');
    await this.#files.write(object, Buffer.from(text), 'application/json');
    this.#openWork.stageNeedless(unit, name);
    return { object };
  }

  /** Has objects erased that the unit replaces, once nobody reads them any more. */
  eraseLater(unit: UnitOfWork, entity: string, id: string, objects: readonly string[]): void {
    const work = { kind: 'ERASE', entity, id, objects, isGone: false } as const;
    this.#openWork.stage(unit, this.#openWork.newName(), work);
  }

  async #withValues(
    header: RecordHeader,
    read: (field: string) => LargeValue | undefined,
  ): Promise<RecordHeader> {
    if (!header.spilled || header.spilled.length === 0) return header;
    const objects: Record<string, string> = {};
    const parts = await Promise.all(
      header.spilled.map(async (name): Promise<JsonObject> => {
        const value = read(name);
        if (value && 'object' in value) objects[name] = value.object;
        return value ? unbundled(name, await this.text(value)) : {};
      }),
    );
    return { ...header, objects, values: Object.assign({ ...header.values }, ...parts) };
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
