import type { JobNotice } from '../../shared/jobs/job.ts';
import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';
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
  /** Menu entry of the records. */
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

/** Events of the module, for the reference. */
export const events = [
  {
    topic: DEFINITION_TOPIC,
    key: 'entity code',
    payload: 'DefinitionEvent',
    meaning: 'a definition or its schema is created, changed, deleted or restored',
    members: {
      action: '`CREATED`, `UPDATED`, `SCHEMA_UPDATED`, `DELETED` or `RESTORED`',
      entity: 'code, name, apiPath, flags and schema version of the entity',
      menu: 'menu entry of the record list: key, title, path, order, icon, permission',
      changes: 'changes of fields, with `SCHEMA_UPDATED`; else empty',
    },
  } satisfies EventDescription<DefinitionEvent>,
  {
    topic: RECORD_TOPIC,
    key: '`<entity code>/<record id>`',
    payload: 'RecordEvent',
    meaning: 'a record changes, when `options.events` of its entity is `ids` or `full`',
    members: {
      action: '`CREATED`, `UPDATED`, `DELETED`, `RESTORED` or `PURGED`',
      entityCode: 'code of the entity',
      id: 'id of the record',
      version: 'version of the record; orders the events of one record',
      changedFields: 'names of the fields that changed',
      actor: 'id of the caller',
      before: 'field values before the change, with `options.events` `full`',
      after: 'field values after the change, with `options.events` `full`',
    },
  } satisfies EventDescription<RecordEvent>,
  {
    topic: JOB_TOPIC,
    key: 'job id',
    payload: 'JobNotice',
    meaning: 'a job continues with its next step (internal)',
    members: { jobId: 'id of the job' },
  } satisfies EventDescription<JobNotice>,
];
