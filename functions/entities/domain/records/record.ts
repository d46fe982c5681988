import type { JsonObject } from '../schema/json.ts';

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
  /** A deletion is being checked: the record is no target of new references. */
  readonly deleting?: boolean;
  /** Fields whose values are too large for this item and lie beside it. */
  readonly spilled?: readonly string[];
}

/** A record as callers see it: values and system fields side by side. */
export type FlatRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly version: number;
};
