import type { EntityDefinition } from '../entity/entity.ts';
import type { FieldDefinition } from '../entity/field.ts';
import type { ConversionStep, EntityLife, GoneField } from '../entity/life.ts';
import { checkSchema } from '../schema/checks/check-schema.ts';
import { compareFields, type FieldChange, isSameField, unreadable } from '../schema/compare.ts';
import { deriveFields, deriveLayout } from '../schema/derive-fields.ts';
import { readDocument } from '../schema/read-document.ts';
import {
  countersOf,
  inherited,
  lifeOf,
  numberFormatsOf,
  pastFields,
  stepBetween,
} from './generations.ts';
import { carryIndexes, wantedIndexes, wantedUniques } from './indexes.ts';

/** Fields, indexes and layout derived from a form schema. */
type Derived = Pick<
  EntityDefinition,
  'schemaText' | 'schemaVersion' | 'fields' | 'layout' | 'indexes' | 'uniques'
> & { readonly life: EntityLife };

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
  /** Fields by which a tree could be ordered and whose values change for records that are stored. */
  readonly converted: ReadonlySet<string>;
  readonly needsJob: boolean;
}

/**
 * Derives fields, indexes and layout of a new schema, reusing unchanged ones.
 * @throws Problem `INVALID_SCHEMA` (400)
 */
export function deriveNext(definition: EntityDefinition, schemaText: string): SchemaChange {
  const { derived, ...change } = derive(definition, schemaText, definition.hierarchical);
  return {
    derived,
    ...change,
    changes: compareFields(definition.fields, derived.fields),
    unreadable: unreadable(inherited(definition, derived.fields), numberFormatsOf(definition)),
  };
}

function derive(
  before: EntityDefinition | undefined,
  schemaText: string,
  hierarchical: boolean,
): Pick<SchemaChange, 'derived' | 'needsJob' | 'converted'> {
  const document = readDocument(schemaText);
  const schemaVersion = (before?.schemaVersion ?? 0) + 1;
  const past = before && lifeOf(before);
  const generation = (past?.generation ?? 0) + 1;
  const fresh = deriveFields(document, schemaVersion);
  checkSchema(document, fresh);
  const step = before && stepBetween(before, fresh, generation);
  const converted = convertedBy(step);
  const fields = before ? fresh.map((field) => carryField(before, field)) : fresh;
  const { needsJob: hasIndexes, ...indexes } = carryIndexes(
    before ?? { indexes: [], uniques: [], fields: [] },
    {
      indexes: wantedIndexes(fields, document.schema, hierarchical),
      uniques: wantedUniques(fields, document.schema),
    },
    { changed: converted, generation },
  );
  const isRenewed = (code: string): boolean => converted.has(code);
  const counters = countersOf(fields, past?.counters ?? {}, isRenewed, generation);
  const life: EntityLife = past
    ? {
        ...{ untimedSince: generation, ...past, generation, counters },
        ...pastFields(before, fresh),
        steps: [...past.steps, ...(step ? [step] : [])],
      }
    : { ...{ generation, filled: 1, counters, totals: { since: 1 } }, ...FIRST };
  const isCountedAnew = past !== undefined && namesOf(past.counters) !== namesOf(counters);
  const isListedAnew = past !== undefined && past.untimedSince === undefined;
  const needsJob = hasIndexes || step !== undefined || isCountedAnew || isListedAnew;
  const layout = deriveLayout(document, fields);
  const derived = { schemaText, schemaVersion, fields, layout, ...indexes, life };
  return { derived, needsJob, converted };
}

const FIRST = { untimedSince: 1, steps: [], builds: [] } as const;

const namesOf = (counters: EntityLife['counters']): string =>
  Object.values(counters)
    .map(({ name }) => name)
    .sort()
    .join();

/** Fields whose values change for records that are stored. */
function convertedBy(step: ConversionStep | undefined): ReadonlySet<string> {
  const { renamed = [], defaults = {}, retyped = [] } = step ?? {};
  return new Set([
    ...renamed.map(({ to }) => to),
    ...Object.keys(defaults),
    ...retyped.map(({ code }) => code),
  ]);
}

/** A field keeps the version that last changed it. */
function carryField({ fields, life }: EntityDefinition, field: FieldDefinition): FieldDefinition {
  const old = fields.find(({ code }) => code === field.code);
  // Records of an earlier version of the module do not list their cipher texts.
  const isByForm = old?.sealedByForm || (life === undefined && old?.encrypted);
  const formerCodes = formerCodesOf([...(life?.gone ?? []), ...fields], field);
  const carried = {
    ...field,
    ...(isByForm && { sealedByForm: true }),
    ...(formerCodes.length > 0 && { formerCodes }),
  };
  return old && isSameField(old, carried)
    ? { ...carried, schemaVersion: old.schemaVersion }
    : carried;
}

function formerCodesOf(
  past: readonly GoneField[],
  { code, renamedFrom }: FieldDefinition,
): readonly string[] {
  const olds = past.filter((old) => old.code === code || old.code === renamedFrom);
  const codes = olds.flatMap((old) => [...(old.formerCodes ?? []), old.code]);
  return [...new Set([...codes, ...(renamedFrom === undefined ? [] : [renamedFrom])])].filter(
    (former) => former !== code,
  );
}
