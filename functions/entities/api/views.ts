import type { GrantsByAction, RecordGrant } from '../access/record-grant.ts';
import type { SchemaOutcome } from '../definitions/schema-service.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import { schemaWarnings } from '../domain/definitions/schema-warnings.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { FieldDefinition, IndexState } from '../domain/entity/field.ts';
import type { HistoryEntry } from '../domain/entity/record.ts';
import { computesFrom } from '../domain/schema/mentions.ts';
import { narrowedForm } from '../domain/schema/narrowed-form.ts';
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
    life: _g,
    status: _s,
    ...head
  } = definition;
  return { ...head, uiSchemaJson: schemaText, fields: toFields(definition) };
}

/** Maps a new definition to its response, with warnings about names in its form that are probably misspelt. */
export const toNewDefinition = (definition: EntityDefinition) => ({
  ...toDefinition(definition),
  ...warningsOf(definition),
});

function warningsOf({ schemaText }: EntityDefinition) {
  const warnings = schemaWarnings(schemaText);
  return warnings.length > 0 ? { warnings: warnings.slice(0, MAX_WARNINGS) } : {};
}

const MAX_WARNINGS = 50;

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
  const {
    encrypted: _encrypted,
    accents: _accents,
    facetSince: _since,
    sealedByForm: _byForm,
    formerCodes: _former,
    enumLabels,
    ...shown
  } = field;
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
  return {
    code,
    schemaVersion,
    version,
    fields: toFields(definition),
    changes,
    jobs: job
      ? rewritten(definition, changes).map((field) => ({ id: job.id, field, state: job.state }))
      : [],
    ...(check && { check }),
    ...warningsOf(definition),
  };
}

/** Names of what a job builds or rewrites: fields, or fields that are indexed together. */
function rewritten(
  { indexes, uniques, life }: EntityDefinition,
  changes: SchemaOutcome['changes'],
): string[] {
  const building = [...indexes, ...uniques].filter(({ state }) => state !== 'READY');
  const step = life?.steps.find(({ generation }) => generation === life.generation);
  const names = new Set([
    ...building.map(({ fields }) => fields.join('+')),
    ...(step ? [...step.sealed, ...step.opened, ...Object.keys(step.defaults)] : []),
    ...(step ? [...step.renamed.map(({ to }) => to), ...step.retyped.map(({ code }) => code)] : []),
  ]);
  return names.size > 0 ? [...names] : changes.map(({ field }) => field);
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

/** What a client needs to show forms and filters of an entity: the fields that the caller sees or may write. */
export function toFormSchema(
  model: EntityModel,
  { view, add, edit, delete: remove }: GrantsByAction,
) {
  const { definition, document } = model;
  const mayWrite = (code: string): boolean => allows(add, code) || allows(edit, code);
  const isNamed = (code: string): boolean => allows(view, code) || mayWrite(code);
  const isAsked = (code: string): boolean => (add || edit ? mayWrite(code) : true);
  const codes = definition.fields.map(({ code }) => code);
  const isNarrowed = !codes.every((code) => isNamed(code) && isAsked(code));
  const hidden = new Set(codes.filter((code) => !isNamed(code)));
  const { schema, uiSchema, uischema } = document;
  return {
    code: definition.code,
    name: definition.name,
    version: definition.schemaVersion,
    hierarchical: definition.hierarchical,
    ...(isNarrowed
      ? narrowedForm(document, { entity: definition.code, hidden, isAsked })
      : { schema, uiSchema: uiSchema ?? uischema ?? {} }),
    fields: toFields(definition)
      .filter(({ code }) => isNamed(code))
      .map((field) => withoutNames(field, definition.code, hidden))
      .map((field) => (allows(view, field.code) ? field : withoutQueries(field)))
      .map((field) =>
        isAsked(field.code) ? field : { ...field, required: false, readOnly: true },
      ),
    permissions: { view: !!view, add: !!add, edit: !!edit, delete: !!remove },
  };
}

const allows = (grant: RecordGrant | undefined, code: string): boolean =>
  grant !== undefined && (grant.fields?.has(code) ?? true);

/** What a field says of others: former code, label of a reference to its own entity, texts that are computed. */
function withoutNames(
  field: ReturnType<typeof toFields>[number],
  entity: string,
  hidden: ReadonlySet<string>,
) {
  const { renamedFrom, reference, ...rest } = field;
  const { labelField, ...target } = reference ?? {};
  const isLabelHidden = reference?.entity === entity && hidden.has(labelField ?? '');
  const kept = Object.entries(rest).filter(([, value]) => !computesFrom(value, hidden));
  return {
    ...(Object.fromEntries(kept) as typeof rest),
    name: computesFrom(rest.name, hidden) ? rest.code : rest.name,
    ...(renamedFrom !== undefined && !hidden.has(renamedFrom) && { renamedFrom }),
    ...(reference && { reference: isLabelHidden ? target : reference }),
  };
}

/** A field that the caller may write but not see: it can be neither filtered nor sorted by. */
const withoutQueries = <T extends object>(field: T) => ({
  ...field,
  ...{ searchable: false, searchMode: 'none', facet: false, sortable: false, operators: [] },
});
