import type { JsonObject } from './json.ts';

/** A record as it is stored: the truth that every row only points to. */
export interface RecordHeader {
  readonly id: string;
  /** Values by field code; those of removed fields stay in here, hidden. */
  readonly values: JsonObject;
  readonly version: number;
  /** Schema version under which the values were written. */
  readonly schemaVersion: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  /** Parent in the tree of a hierarchical entity. */
  readonly parentId?: string;
  readonly deletedAt?: string;
  readonly deletedBy?: string;
  /** The mark of the deletion that is being checked: until it is gone, the record is no target of new references. */
  readonly deleting?: string;
  /** Fields whose values are too large for this item and lie beside it. */
  readonly spilled?: readonly string[];
}

/** A record as callers see it: values and system fields side by side. */
export type FlatRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly version: number;
};

/** A value that lies beside its record because it is large: as text, or as an object of the bucket. */
export type LargeValue = { readonly text: string } | { readonly object: string };

/** One change in the history of a record. */
export interface HistoryEntry {
  readonly version: number;
  readonly action: string;
  readonly at: string;
  readonly by: string;
  readonly changes: readonly {
    readonly field: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
}

/** A node of a tree as its row tells. */
export interface TreeNodeRow {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly label: string;
}
