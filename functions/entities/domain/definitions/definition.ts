import { problems } from '../../errors.ts';
import type { EntityDefinition, EntityOptions } from '../entity/entity.ts';
import type { FieldDefinition } from '../entity/field.ts';
import type { EntityLife } from '../entity/life.ts';
import { readDocument } from '../schema/read-document.ts';
import { lifeOf } from './generations.ts';
import { carryIndexes, wantedIndexes, wantedUniques } from './indexes.ts';

/** First path segments reserved by the platform. */
const OWNED_PATHS: ReadonlySet<string> = new Set([
  'dynamic',
  'entity-definitions',
  'setting',
  'health',
  'openapi',
  'reference',
  'workflow',
  'tasks',
  'process-instance',
  'preview',
  'broker',
  'docs',
  'templates',
  'builtin-merge-fields',
  'identity_source',
  'identity_provider',
  'synchronizer',
  'users',
  'departments',
]);

/** Permission targets of the platform: without a prefix, an apiPath is a target, too. */
const OWNED_TARGETS: ReadonlySet<string> = new Set([
  'template',
  'builtin-merge-field',
  'mq',
  'identity',
]);

/** Whether a code or apiPath conflicts with paths or permissions of the platform. */
export const isOwnedName = (name: string): boolean =>
  OWNED_PATHS.has(name.toLowerCase()) || OWNED_TARGETS.has(name.toLowerCase());

/** The indexes of an entity whose place in a tree changes. */
export function rederiveIndexes(
  definition: EntityDefinition,
  change: { readonly hierarchical: boolean },
) {
  const { schema } = readDocument(definition.schemaText);
  const past = lifeOf(definition);
  const generation = past.generation + 1;
  const { needsJob, ...indexes } = carryIndexes(
    definition,
    {
      indexes: wantedIndexes(definition.fields, schema, change.hierarchical),
      uniques: wantedUniques(definition.fields, schema),
    },
    { changed: new Set(), generation },
  );
  const life: EntityLife = {
    ...past,
    generation,
    ...(change.hierarchical && { treeSince: generation }),
  };
  return { needsJob, ...indexes, life };
}

/** Completes omitted options from the previous ones. */
export function mergeOptions(before: EntityOptions, given: Partial<EntityOptions>): EntityOptions {
  return {
    ...before,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/** The next version of a definition. */
export function nextDefinition(
  stored: EntityDefinition,
  change: Partial<EntityDefinition>,
  { at, by }: { readonly at: string; readonly by: string },
): EntityDefinition {
  return { ...stored, ...change, version: stored.version + 1, updatedAt: at, updatedBy: by };
}

/** @throws Problem `INVALID_SCHEMA` (400) when a reference points to an entity that does not exist */
export function checkTargets(
  fields: readonly FieldDefinition[],
  known: ReadonlyMap<string, string | undefined>,
): FieldDefinition[] {
  return fields.map((field) => {
    const { reference } = field;
    if (!reference) return field;
    const entity = known.get(reference.entity);
    if (entity === undefined) {
      const pointer = `/properties/${field.code}/x-reference/entity`;
      throw problems.invalidSchema([
        {
          pointer,
          code: 'UNKNOWN_ENTITY',
          detail: `names an entity that does not exist: ${reference.entity}`,
        },
      ]);
    }
    return { ...field, reference: { ...reference, entity } };
  });
}
