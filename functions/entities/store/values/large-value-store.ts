import type { Files } from '../../../../shared/files/files.ts';
import { faultPoint } from '../../../../shared/primitives/fault-point.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { converted, type EntityModel } from '../../domain/definitions/model.ts';
import type { JsonObject } from '../../domain/entity/json.ts';
import type { LargeValue, RecordHeader } from '../../domain/entity/record.ts';
import {
  asStored,
  digestOf,
  lacking,
  largeOf,
  MAX_ITEM_BYTES,
  unbundled,
} from '../../domain/records/large-values.ts';
import type { LoadedRecord } from '../../domain/records/loaded-record.ts';
import { problems } from '../../errors.ts';
import { type OpenWork, tokenOf } from '../open-work.ts';
import { spillKey } from '../record-items.ts';
import type { RecordRepository } from '../record-repository.ts';
import type { FieldCipher } from './field-cipher.ts';

/** Large values whose items are read at once: they are at most 300 KB each. */
const VALUES_AT_ONCE = 100;
/** Values in the bucket that are read at once, unless one record has more. */
const OBJECTS_AT_ONCE = 4;
/** No request carries a larger value. */
const MAX_VALUE_BYTES = 16 * 1_024 * 1_024;

/**
 * Reads stored records as their definition says, and stores values that are too large for the item of their record.
 * Encrypted fields stay cipher texts.
 */
export class LargeValueStore {
  readonly #repository: RecordRepository;
  readonly #files: Files;
  readonly #openWork: OpenWork;
  readonly #cipher: FieldCipher;

  constructor(repository: RecordRepository, files: Files, openWork: OpenWork, cipher: FieldCipher) {
    this.#cipher = cipher;
    this.#repository = repository;
    this.#files = files;
    this.#openWork = openWork;
  }

  /**
   * A loaded record with all its values.
   * @throws Problem `DEFINITION_CHANGED` (409) when a newer definition has written it
   */
  async complete(model: EntityModel, { header, large }: LoadedRecord): Promise<RecordHeader> {
    return this.#asCurrent(model, header, (field) => large.get(field));
  }

  /**
   * Records of a list with all their values; reads nothing when none has large ones.
   * @param fields of which large values are needed, for who writes none of the records; all when there is no list
   * @throws Problem `DEFINITION_CHANGED` (409) when a newer definition has written one of them
   */
  async completeAll(
    model: EntityModel,
    headers: readonly RecordHeader[],
    fields?: ReadonlySet<string>,
    consistent = false,
  ): Promise<RecordHeader[]> {
    const all = headers.map((header) => ({ header, missing: largeOf(model, header, fields) }));
    const found = await this.#findLarge(model, all, consistent);
    return Promise.all(
      headers.map((header) =>
        this.#asCurrent(model, header, (field) => found?.get(`${header.id}#${field}`)),
      ),
    );
  }

  /**
   * The same in their order, a few at a time where values are large, so that who keeps only what is needed of each has few
   * of them in memory, and who has enough stops. Records that were read without some of their values get those.
   */
  async *inParts(
    model: EntityModel,
    headers: readonly RecordHeader[],
    fields?: ReadonlySet<string>,
    consistent = false,
  ): AsyncGenerator<readonly RecordHeader[]> {
    const all = headers.map(asStored).map((header) => {
      return { header, missing: lacking(model, header, fields) };
    });
    for (const some of windows(all, VALUES_AT_ONCE, ({ missing }) => missing.length)) {
      const found = await this.#findLarge(model, some, consistent);
      const read = ({ id }: RecordHeader, field: string) => found?.get(`${id}#${field}`);
      const objectsOf = ({ header, missing }: ToComplete): number =>
        missing.filter((field) => 'object' in (read(header, field) ?? {})).length;
      for (const few of windows(some, OBJECTS_AT_ONCE, objectsOf)) {
        yield await Promise.all(
          few.map(({ header }) => this.#asCurrent(model, header, (field) => read(header, field))),
        );
      }
    }
  }

  /** Deletes objects that no record needs. */
  async deleteObjects(objects: readonly string[]): Promise<void> {
    for (const object of objects) await this.#files.delete(object);
  }

  /**
   * Stages a large value. One that fits no item is written to the bucket at once, as an object of its own, which is erased
   * unless the unit commits.
   */
  async stage(
    unit: UnitOfWork,
    entity: string,
    id: string,
    { name, text }: { readonly name: string; readonly text: string },
  ): Promise<void> {
    const fits = Buffer.byteLength(text) <= MAX_ITEM_BYTES;
    const value = fits ? { text } : { object: await this.#write(unit, entity, id, text) };
    unit.put({ ...spillKey(entity, id, name), type: 'DYN_FIELD_VALUE', ...value });
  }

  /** Stages the end of a large value. */
  stageGone(unit: UnitOfWork, entity: string, id: string, name: string): void {
    unit.delete(spillKey(entity, id, name));
  }

  async #write(unit: UnitOfWork, entity: string, id: string, text: string): Promise<string> {
    const work = this.#openWork.newName();
    const object = `entities/values/${entity}/${id}/${tokenOf(work)}.json`;
    const objects = [object];
    await this.#openWork.write(work, { kind: 'ERASE', entity, id, objects, isGone: false });
    faultPoint('entities.before-object');
    await this.#files.write(object, Buffer.from(text), 'application/json');
    this.#openWork.stageNeedless(unit, work);
    return object;
  }

  /**
   * Has objects erased that the unit replaces, once nobody reads them any more.
   * @param at when that may begin; default: now
   */
  eraseLater(
    unit: UnitOfWork,
    entity: string,
    id: string,
    objects: readonly string[],
    at?: string,
  ): void {
    const work = { kind: 'ERASE', entity, id, objects, isGone: false } as const;
    this.#openWork.stage(unit, this.#openWork.newName(at === undefined ? {} : { at }), work);
  }

  async #findLarge(
    { code }: EntityModel,
    records: readonly ToComplete[],
    consistent: boolean,
  ): Promise<ReadonlyMap<string, LargeValue> | undefined> {
    const wanted = records.flatMap(({ header: { id, digests = {} }, missing }) =>
      missing.map((field) => ({ id, field, digest: digests[field] })),
    );
    if (wanted.length === 0) return undefined;
    // What has the digest that its record names is right, wherever it was read; that costs half.
    const told = consistent ? wanted.filter(({ digest }) => digest) : wanted;
    const none = new Map<string, LargeValue>();
    const found = told.length > 0 ? await this.#repository.findLarge(code, told) : none;
    const isRight = ({ id, field, digest }: (typeof wanted)[number]): boolean => {
      const value = found.get(`${id}#${field}`);
      return value !== undefined && 'text' in value && digestOf(value.text) === digest;
    };
    const unsure = consistent ? wanted.filter((one) => !isRight(one)) : [];
    if (unsure.length === 0) return found;
    return new Map([...found, ...(await this.#repository.findLarge(code, unsure, true))]);
  }

  async #asCurrent(
    model: EntityModel,
    header: RecordHeader,
    read: (field: string) => LargeValue | undefined,
  ): Promise<RecordHeader> {
    // What a newer definition has written, an older one can neither read nor change.
    if (header.generation > model.generation) {
      throw problems.definitionChanged({ entity: model.code });
    }
    const whole = await this.#withValues(header, read);
    const sealed = this.#cipher.sealedOf(model, whole);
    const isListed = header.sealed !== undefined;
    const stored = { values: whole.values, sealed, isListed };
    return this.#cipher.decryptFormer(model, converted(model, { ...whole, sealed, stored }));
  }

  async #withValues(
    header: RecordHeader,
    read: (field: string) => LargeValue | undefined,
  ): Promise<RecordHeader> {
    if (!header.spilled || header.spilled.length === 0) return header;
    const objects: Record<string, string> = { ...header.objects };
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

interface ToComplete {
  readonly header: RecordHeader;
  /** Large values that it lacks. */
  readonly missing: readonly string[];
}

/** Records one after the other in parts of some weight at most, or of one record. */
function* windows(
  records: readonly ToComplete[],
  most: number,
  weightOf: (record: ToComplete) => number,
): Generator<readonly ToComplete[]> {
  let some: ToComplete[] = [];
  let weight = 0;
  for (const record of records) {
    const own = weightOf(record);
    if (some.length > 0 && weight + own > most) {
      yield some;
      some = [];
      weight = 0;
    }
    some.push(record);
    weight += own;
  }
  if (some.length > 0) yield some;
}
