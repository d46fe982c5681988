import type { JsonObject } from './json.ts';

/** A stored record: the source of truth for all index rows. */
export interface RecordHeader {
  readonly id: string;
  /** Values by field code; values of removed fields are kept but hidden. */
  readonly values: JsonObject;
  readonly version: number;
  /** Generation of the definition that it was written by. */
  readonly generation: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  /** Parent in the tree of a hierarchical entity. */
  readonly parentId?: string;
  readonly deletedAt?: string;
  readonly deletedBy?: string;
  /** Mark of a deletion in progress: while set, new references to the record are refused. */
  readonly deleting?: string;
  /** Others that refer to it announce themselves, because their transactions have met at it. */
  readonly contended?: true;
  /** How often its cipher texts were given a newer key, which changes nothing else of it. */
  readonly seals?: number;
  /** Fields whose values are too large for this item and are stored separately. */
  readonly spilled?: readonly string[];
  /** Digests of those that are in items, by name: a text that was read is the right one if it has this. Earlier versions wrote none. */
  readonly digests?: Readonly<Record<string, string>>;
  /** Objects of the bucket that hold values, by field; known of a record that was read whole, and not stored with it. */
  readonly objects?: Readonly<Record<string, string>>;
  /** Fields whose values are cipher texts. */
  readonly sealed?: readonly string[];
  /** Unique values that it does not hold, because another record does: the constraint was declared later. */
  readonly unclaimed?: readonly string[];
  /** What is stored, of a record that was read. */
  readonly stored?: StoredForm;
}

/** A record as it is stored, before its values follow the definition. */
export interface StoredForm {
  readonly values: JsonObject;
  readonly sealed: readonly string[];
  /** Whether the record itself lists its cipher texts. */
  readonly isListed: boolean;
}

/** A record in a response: values and system fields. */
export type FlatRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly version: number;
};

/** A large value stored separately from its record: as text in an item, or as an object in the bucket. */
export type LargeValue = { readonly text: string } | { readonly object: string };

/** One change in the history of a record. */
export interface HistoryEntry {
  readonly version: number;
  readonly action: string;
  readonly at: string;
  readonly by: string;
  /** Issuer of the token of `by`. */
  readonly issuer?: string;
  readonly changes: readonly {
    readonly field: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
}

/** A node of a tree, read from its row. */
export interface TreeNodeRow {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly label: string;
}
