import type { JsonObject } from '../domain/entity/json.ts';
import type { Filter } from '../domain/query/filter.ts';

export const RECORD_ACTIONS = ['view', 'add', 'edit', 'delete'] as const;

/** What a caller may do with records. */
export type RecordAction = (typeof RECORD_ACTIONS)[number];

/** What a caller may do with the records of an entity; what is missing is denied. */
export type GrantsByAction = Readonly<Partial<Record<RecordAction, RecordGrant>>>;

/** Row, field and preset restrictions of a caller. */
export interface RecordGrant {
  /** The action that it allows. Only a grant to `view` says what may be shown. */
  readonly action: RecordAction;
  /** Only matching records are visible to the caller. */
  readonly filter: Filter;
  /** Only these fields are shown or may be written; all when there is no list. */
  readonly fields?: ReadonlySet<string>;
  /** Values of every new record; they overwrite what the caller sends. */
  readonly presets?: JsonObject;
}
