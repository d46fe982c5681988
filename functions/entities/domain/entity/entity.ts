import type { FieldDefinition, IndexDefinition, UniqueConstraint } from './field.ts';
import type { JsonObject } from './json.ts';
import type { EntityLife } from './life.ts';

/** Options of an entity beyond its schema. */
export interface EntityOptions {
  /** Partitions of each index: 1, 2, 4, 8 or 16; more take more writes each second. */
  readonly shards: number;
  /** Record events: none, with the names of changed fields, or with values. */
  readonly events: 'none' | 'ids' | 'full';
  readonly onDeleteChildren: 'restrict' | 'cascade';
  /** Whether every change of a record is kept field by field. */
  readonly history: boolean;
  /** Whether a change of a record must carry `If-Match`. */
  readonly requireIfMatch: boolean;
  /** Days after which deleted records expire; none: never. */
  readonly trashRetentionDays?: number;
  /** Who may do what, besides what the host allows. */
  readonly policies?: readonly RecordPolicy[];
}

/** Narrows what the host allows on the records of an entity; `$user` and `$groups` stand for those of the caller. */
export interface RecordPolicy {
  readonly actions: readonly ('view' | 'add' | 'edit' | 'delete')[];
  /** Callers whom it does not concern. */
  readonly unless?: {
    readonly groups?: readonly string[] | undefined;
    readonly roles?: readonly string[] | undefined;
  };
  /** `false`: refuses the actions. */
  readonly allowed?: false | undefined;
  readonly rowFilter?: JsonObject | undefined;
  readonly fields?: readonly string[] | undefined;
  /** Values of new records. */
  readonly presets?: JsonObject | undefined;
}

/** Default options. */
export const DEFAULT_OPTIONS: EntityOptions = {
  shards: 1,
  events: 'none',
  onDeleteChildren: 'restrict',
  history: false,
  requireIfMatch: false,
};

/** A field of another entity that references this one. */
export interface IncomingReference {
  readonly entity: string;
  readonly field: string;
  readonly onDelete: 'restrict' | 'setNull' | 'none';
}

/** The part of a definition that is reread to detect changes. */
export interface EntityHead {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly apiPath: string;
  readonly requireAuth: boolean;
  readonly requirePermission: boolean;
  readonly hierarchical: boolean;
  readonly options: EntityOptions;
  readonly status: 'ACTIVE' | 'DELETED';
  /** Set while its records are being purged, which nothing takes back. */
  readonly isPurged?: boolean;
  readonly schemaVersion: number;
  /** Incremented by each change of the definition. */
  readonly version: number;
  readonly indexes: readonly IndexDefinition[];
  readonly uniques: readonly UniqueConstraint[];
  readonly incoming: readonly IncomingReference[];
  /** Absent for an entity that has not changed since an earlier version of the module. */
  readonly life?: EntityLife;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** An entity definition with its schema and the fields derived from it. */
export interface EntityDefinition extends EntityHead {
  /** The form schema, as it was sent. */
  readonly schemaText: string;
  readonly fields: readonly FieldDefinition[];
  /** Keywords of the schema that concern the whole entity. */
  readonly layout: EntityLayout;
}

/** Keywords of a schema that concern the whole entity. */
export interface EntityLayout {
  /** Display field of a record: `x-label`, else the first text field. */
  readonly labelField?: string;
  /** Field that orders siblings of a tree before their labels: `x-tree-order`. */
  readonly treeOrderField?: string;
  /** Whether fields that the schema does not name are accepted. */
  readonly openEnded: boolean;
}

/** Codes that every record carries, whatever its schema. */
export const SYSTEM_FIELDS = [
  'id',
  'version',
  'createdAt',
  'createdBy',
  'updatedAt',
  'updatedBy',
] as const;

/** System fields that `x-indexes` may name: what is found by them costs each write a row. */
export const isStampField = (code: string): boolean =>
  code === 'createdBy' || code === 'updatedAt' || code === 'updatedBy';

/** Codes that a schema may not declare. */
const RESERVED_FIELD_CODES: ReadonlySet<string> = new Set([
  ...SYSTEM_FIELDS,
  'parentId',
  'deletedAt',
  'deletedBy',
  'prototype',
  // What every object of JavaScript has, such as toString, would be taken for the value of a field that has none.
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** What is wrong with the code of a field; `undefined`: nothing. */
export function fieldCodeFault(code: string): string | undefined {
  if (RESERVED_FIELD_CODES.has(code)) {
    return 'is a member of every record, or of every object; call the field otherwise';
  }
  const isName = /^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u.test(code);
  return isName
    ? undefined
    : 'must begin with a letter or _ and have at most 64 letters, digits, _ and -';
}
