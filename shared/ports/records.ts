import type { Page } from '../http/paging.ts';
import type { Principal } from '../security/principal.ts';

/** A record as its caller sees it: the fields that were granted, beside the system fields. */
export type RecordView = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly version: number;
};

/** A list of records. */
export interface RecordListCall {
  /** Filters, `q`, `sort`, `fields` and `expand`, as in the query of the list's GET. */
  readonly parameters?: Readonly<Record<string, string | readonly string[]>>;
  /** From 1 to `svc.web.page-size-max`; default `svc.web.page-size-default`. */
  readonly size?: number;
  readonly cursor?: string;
}

/** Reads records of entities as the caller's own GET answers them. Writes nothing. */
export interface RecordReading {
  /**
   * @param entity code or apiPath.
   * @throws Problem `ENTITY_NOT_FOUND`, `RECORD_NOT_FOUND` (404), also for a record beyond the caller's rows;
   *   `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
   */
  get(
    entity: string,
    id: string,
    principal: Principal,
    shown?: { readonly fields?: string; readonly expand?: string },
  ): Promise<RecordView>;
  /**
   * Refuses who may not change the record by `PATCH`.
   * @throws Problem `ENTITY_NOT_FOUND`, `RECORD_NOT_FOUND` (404), also for a record beyond the caller's rows;
   *   `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
   */
  requireEditable(entity: string, id: string, principal: Principal): Promise<void>;
  /** @throws Problem `ENTITY_NOT_FOUND` (404), `INVALID_PARAMETER`, `INVALID_CURSOR` (400), `FORBIDDEN` (403) */
  list(entity: string, call: RecordListCall, principal: Principal): Promise<Page<RecordView>>;
}

/**
 * Writes records of entities by the rules and permissions of their own endpoints, in the caller's unit of work: they
 * are stored with what else it writes, or not at all. Alone, each call is a unit. One unit changes a record once, and
 * `version` is the one that the caller has seen.
 */
export interface RecordWriting {
  /** @throws Problem as `POST` on the records; broken constraints when the unit commits */
  create(
    entity: string,
    values: Readonly<Record<string, unknown>>,
    principal: Principal,
  ): Promise<RecordView>;
  /** Changes the fields that are given. @throws Problem as `PATCH` on the record */
  update(
    entity: string,
    id: string,
    values: Readonly<Record<string, unknown>>,
    principal: Principal,
    options?: { readonly version?: number },
  ): Promise<RecordView>;
  /** Moves a record to the trash. @throws Problem as `DELETE` on the record */
  delete(
    entity: string,
    id: string,
    principal: Principal,
    options?: { readonly version?: number },
  ): Promise<void>;
}

/** The share of a merge in the caller's transaction. */
export interface MergedRecord {
  /** Writes that it adds, about. */
  readonly writes: number;
  /** Names among the given ones whose values are kept nowhere else: those of encrypted and write-only fields. */
  readonly secret: readonly string[];
}

/**
 * Enters values into records in the caller's unit of work, by a right that their user has by something else, such as a
 * task: the permissions of the records are not asked, all their other rules hold.
 */
export interface RecordMerging {
  /**
   * Changes the fields that the entity declares, and leaves out the other values. `pointer` stands before the fields
   * in refusals, also at the commit; the change takes at most `room` writes if it can.
   * @returns `undefined` when there is no such entity
   * @throws Problem `RECORD_NOT_FOUND` (404), `VALIDATION_FAILED`, `REFERENCE_NOT_FOUND` (400), `DELETION_IN_PROGRESS` (409);
   *   `UNIQUE_VIOLATION`, `DEFINITION_CHANGED` (409) when the unit commits
   */
  merge(
    entity: string,
    id: string,
    values: Readonly<Record<string, unknown>>,
    principal: Principal,
    options: { readonly pointer: string; readonly room: number },
  ): Promise<MergedRecord | undefined>;
  /**
   * Those among the names that are encrypted or write-only fields: what keeps values for a later merge leaves them out.
   * @returns `undefined` when there is no such entity
   */
  secretFields(entity: string, names: readonly string[]): Promise<readonly string[] | undefined>;
}
