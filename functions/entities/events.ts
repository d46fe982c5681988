import type { EntityDefinition } from './domain/entity/entity.ts';

/** Topic of definition changes. */
export const DEFINITION_TOPIC = 'dynamic-entity-definition';
/** Topic of record changes. */
export const RECORD_TOPIC = 'dynamic-record';
/** Topic by which a job wakes itself for its next step. */
export const JOB_TOPIC = 'dynamic-entity-job';

/** Payload of `dynamic-entity-definition`; the key is the code. */
export interface DefinitionEvent {
  readonly action: 'CREATED' | 'UPDATED' | 'SCHEMA_UPDATED' | 'DELETED' | 'RESTORED';
  readonly entity: Pick<
    EntityDefinition,
    | 'code'
    | 'name'
    | 'apiPath'
    | 'requireAuth'
    | 'requirePermission'
    | 'hierarchical'
    | 'schemaVersion'
  >;
  /** Entry of a menu that leads to the records. */
  readonly menu: {
    readonly key: string;
    readonly title: string;
    readonly path: string;
    readonly order: number;
    readonly icon: string | null;
    readonly permission: string;
  };
  readonly changes: readonly unknown[];
}

/** Payload of `dynamic-record`; the key is `<code>/<id>`, and `version` gives the order of one record's events. */
export interface RecordEvent {
  readonly action: 'CREATED' | 'UPDATED' | 'DELETED' | 'RESTORED' | 'PURGED';
  readonly entityCode: string;
  readonly id: string;
  readonly version: number;
  readonly changedFields: readonly string[];
  readonly actor: string;
  /** Values, when the entity's events are `full`. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** Payload of `dynamic-entity-job`; the key is the id of the job. */
export interface JobNotice {
  readonly jobId: string;
}
