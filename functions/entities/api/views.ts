import type { RecordGrant } from '../access/record-grant.ts';
import type { SchemaOutcome } from '../definitions/schema-service.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { FieldDefinition, IndexState } from '../domain/entity/field.ts';
import { isJsonObject, type JsonObject, own } from '../domain/entity/json.ts';
import type { HistoryEntry } from '../domain/entity/record.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { DefinitionSummary, SchemaVersion } from '../store/definition-repository.ts';

/** Maps a definition to its response. */
export function toDefinition(definition: EntityDefinition) {
  const {
    schemaText,
    fields: _fields,
    indexes: _i,
    uniques: _u,
    incoming: _r,
    layout: _l,
    status: _s,
    ...head
  } = definition;
  return { ...head, uiSchemaJson: schemaText, fields: toFields(definition) };
}

/** Maps a definition to its list entry. */
export function toSummary({ status: _status, ...summary }: DefinitionSummary) {
  return summary;
}

/** The fields of a definition, each with its operators and the state of its index. */
export function toFields(definition: EntityDefinition) {
  const model = new EntityModel(definition);
  return definition.fields.map((field) => toField(field, model));
}

/** Maps a field to its response: type, search operators, sortability. */
function toField(field: FieldDefinition, model: EntityModel) {
  const { encrypted: _encrypted, facetSince: _since, enumLabels, ...shown } = field;
  const state = indexState(field, model);
  return {
    ...shown,
    ...(enumLabels && { enumLabels }),
    operators: model.queryField(field.code)?.codec.operators ?? [],
    ...(state && { indexState: state }),
  };
}

function indexState(
  { code }: FieldDefinition,
  { definition }: EntityModel,
): IndexState | undefined {
  return definition.indexes.find(
    ({ kind, fields: [only], state }) => kind === 'field' && only === code && state !== 'DROPPING',
  )?.state;
}

/** Maps the result of a schema change to its response. */
export function toSchemaOutcome({ definition, changes, job, check }: SchemaOutcome) {
  const { code, schemaVersion, version } = definition;
  const { indexes, uniques } = definition;
  const building = [...indexes, ...uniques].filter(({ state }) => state !== 'READY');
  return {
    code,
    schemaVersion,
    version,
    fields: toFields(definition),
    changes,
    jobs: job
      ? building.map(({ fields }) => ({ id: job.id, field: fields.join('+'), state: job.state }))
      : [],
    ...(check && { check }),
  };
}

/** Maps an earlier schema to its response. */
export function toSchemaVersion({ schemaVersion, schemaText, at, by }: SchemaVersion) {
  return { schemaVersion, uiSchemaJson: schemaText, at, by };
}

/** Maps a history entry to its response. */
export function toHistoryEntry({ version, action, at, by, issuer, changes }: HistoryEntry) {
  return { version, action, at, by, issuer: issuer ?? null, changes };
}

/** Maps a job to its response; `link` downloads its file, if any. */
export function toJob(
  { id, kind, state, processed, total, result, createdAt, updatedAt }: EntityJob,
  link?: string,
) {
  return { id, kind, state, processed, total, result, createdAt, updatedAt, ...(link && { link }) };
}

/** What a client needs to show forms and filters of an entity. */
export function toFormSchema(
  model: EntityModel,
  { fields: visible }: RecordGrant,
  permissions: Readonly<Record<'view' | 'add' | 'edit' | 'delete', boolean>>,
) {
  const { definition, document } = model;
  const isVisible = (code: string): boolean => visible?.has(code) ?? true;
  return {
    code: definition.code,
    name: definition.name,
    version: definition.schemaVersion,
    hierarchical: definition.hierarchical,
    schema: visible ? withoutHidden(document.schema, isVisible) : document.schema,
    uiSchema: document.uiSchema ?? document.uischema ?? {},
    fields: toFields(definition).filter(({ code }) => isVisible(code)),
    permissions,
  };
}

/** Removes properties that are hidden from the caller. */
function withoutHidden(schema: JsonObject, isVisible: (code: string) => boolean): JsonObject {
  const properties = own(schema, 'properties');
  if (!isJsonObject(properties)) return schema;
  const kept = Object.entries(properties).flatMap(([code, node]) => {
    if (isJsonObject(node) && node.type === 'void') return [[code, withoutHidden(node, isVisible)]];
    return isVisible(code) ? [[code, node]] : [];
  });
  return { ...schema, properties: Object.fromEntries(kept) };
}
