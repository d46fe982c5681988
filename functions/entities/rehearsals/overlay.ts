import { createHash } from 'node:crypto';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { UniqueClaim } from '../domain/records/index-rows.ts';
import { largeBytes } from '../domain/records/large-values.ts';
import type { WritePlan } from '../domain/records/write-plan.ts';

/** Records with large values that a dry run keeps, in characters of their JSON. */
const MAX_LARGE_BYTES = 8_000_000;

/** A record as a dry run has left it. */
export interface RehearsedRecord {
  readonly id: string;
  readonly parentId: string | undefined;
  /** With open values, or with cipher texts as it was kept; none where it is not kept. */
  readonly header?: RecordHeader | undefined;
  readonly isSealed?: boolean;
}

/** What a dry run would have written so far: it lies over what is stored. */
export class Overlay {
  readonly #records = new Map<string, RehearsedRecord>();
  /** Holders of unique values by the hash of the value; `''`: nobody any more. */
  readonly #holders = new Map<string, string>();
  #largeBytes = 0;
  readonly #children = new Map<string, Set<string>>();
  /** Files that records would have taken. */
  readonly files = new Set<string>();
  /** Whether nothing was forgotten that has mattered since. */
  isExact = true;
  readonly #hasValues: boolean;

  /** @param hasValues whether rows may come back to the values of a record */
  constructor(hasValues: boolean) {
    this.#hasValues = hasValues;
  }

  get size(): number {
    return this.#records.size;
  }

  get records(): Iterable<RehearsedRecord> {
    return this.#records.values();
  }

  get holders(): Iterable<readonly [string, string]> {
    return this.#holders;
  }

  record(id: string): RehearsedRecord | undefined {
    return this.#records.get(id);
  }

  /** Who holds a unique value: an id, `''` for nobody any more, `undefined` when the dry run has not touched it. */
  holder(claim: Pick<UniqueClaim, 'name' | 'key'>): string | undefined {
    return this.#holders.get(hashOf(claim));
  }

  /** The records that have come below a parent, or, without one, that have come to any place. */
  children(parentId: string | null | undefined): readonly RehearsedRecord[] {
    const ids = parentId === undefined ? this.#records.keys() : this.#children.get(parentId ?? '');
    return [...(ids ?? [])].flatMap((id) => this.#records.get(id) ?? []);
  }

  /** Takes up what a change would write; of records with large values only as many as there is room for. */
  apply({ after, claims }: Pick<WritePlan, 'after' | 'claims'>): void {
    this.#largeBytes += largeBytes(after, after.values);
    const { stored: _past, ...header } = after;
    const place = { id: after.id, parentId: after.parentId };
    const isHeld = this.#hasValues && this.#largeBytes <= MAX_LARGE_BYTES;
    this.put(isHeld ? { ...place, header } : place);
    for (const claim of claims.removed) this.#holders.set(hashOf(claim), '');
    for (const claim of claims.added) this.#holders.set(hashOf(claim), after.id);
  }

  put(record: RehearsedRecord): void {
    const past = this.#records.get(record.id);
    if (past) this.#children.get(past.parentId ?? '')?.delete(record.id);
    this.#records.set(record.id, record);
    const siblings = this.#children.get(record.parentId ?? '') ?? new Set();
    this.#children.set(record.parentId ?? '', siblings.add(record.id));
  }

  hold(hash: string, id: string): void {
    this.#holders.set(hash, id);
  }
}

/** A value is neither kept nor compared as it is. */
const hashOf = ({ name, key }: Pick<UniqueClaim, 'name' | 'key'>): string =>
  createHash('sha256').update(`${name}#${key}`).digest('base64url').slice(0, 22);
