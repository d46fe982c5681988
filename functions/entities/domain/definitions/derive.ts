import type { EntityDefinition } from '../entity/entity.ts';
import type { FieldDefinition } from '../entity/field.ts';
import { checkSchema } from '../schema/check-schema.ts';
import {
  compareFields,
  type FieldChange,
  isSameField,
  reencoded,
  unreadable,
} from '../schema/compare.ts';
import { deriveFields, deriveLayout } from '../schema/derive-fields.ts';
import { readDocument } from '../schema/read-document.ts';
import { carryIndexes, wantedIndexes, wantedUniques } from './indexes.ts';

/** Fields, indexes and layout derived from a form schema. */
type Derived = Pick<
  EntityDefinition,
  'schemaText' | 'schemaVersion' | 'fields' | 'layout' | 'indexes' | 'uniques'
>;

/**
 * Derives fields, indexes and layout of a first schema.
 * @throws Problem `INVALID_SCHEMA` (400)
 */
export function deriveFirst(schemaText: string, hierarchical: boolean): Derived {
  return derive(undefined, schemaText, hierarchical).derived;
}

/** Changes between two schemas. */
export interface SchemaChange {
  readonly derived: Derived;
  readonly changes: readonly FieldChange[];
  /** Fields whose stored values can no longer be read. */
  readonly unreadable: readonly string[];
  readonly needsJob: boolean;
}

/**
 * Derives fields, indexes and layout of a new schema, reusing unchanged ones.
 * @throws Problem `INVALID_SCHEMA` (400)
 */
export function deriveNext(definition: EntityDefinition, schemaText: string): SchemaChange {
  const { derived, needsJob } = derive(definition, schemaText, definition.hierarchical);
  return {
    derived,
    needsJob,
    changes: compareFields(definition.fields, derived.fields),
    unreadable: unreadable(definition.fields, derived.fields),
  };
}

function derive(
  before: EntityDefinition | undefined,
  schemaText: string,
  hierarchical: boolean,
): { readonly derived: Derived; readonly needsJob: boolean } {
  const document = readDocument(schemaText);
  const schemaVersion = (before?.schemaVersion ?? 0) + 1;
  const fresh = deriveFields(document, schemaVersion);
  checkSchema(document, fresh);
  const fields = before ? fresh.map((field) => carryField(before, field)) : fresh;
  const { needsJob, ...indexes } = carryIndexes(
    before ?? { indexes: [], uniques: [] },
    {
      indexes: wantedIndexes(fields, document.schema, hierarchical),
      uniques: wantedUniques(fields, document.schema),
    },
    { changed: before ? reencoded(before.fields, fields) : new Set(), schemaVersion },
  );
  const layout = deriveLayout(document, fields);
  return { derived: { schemaText, schemaVersion, fields, layout, ...indexes }, needsJob };
}

/** A field keeps the version that last changed it, and the former code of values not yet rewritten. */
function carryField({ fields }: EntityDefinition, field: FieldDefinition): FieldDefinition {
  const old = fields.find(({ code }) => code === field.code);
  if (!old) return field.facet ? { ...field, facetSince: field.schemaVersion } : field;
  const isCounted = old.facet && old.fieldType === field.fieldType && field.facet;
  const facetSince = isCounted ? (old.facetSince ?? 1) : field.schemaVersion;
  const carried = {
    ...(field.facet && { facetSince }),
    ...field,
    ...(old.renamedFrom && !field.renamedFrom && { renamedFrom: old.renamedFrom }),
  };
  return isSameField(old, carried) ? { ...carried, schemaVersion: old.schemaVersion } : carried;
}
