import type { EntityDefinition } from '../entity/entity.ts';
import type { IndexState } from '../entity/field.ts';
import type { EntityLife } from '../entity/life.ts';
import { claimsName, countersOf, lifeOf, sinceOf } from './generations.ts';

/** A definition whose new indexes up to a generation are being built. */
export function built(definition: EntityDefinition, generation: number): EntityDefinition {
  const next = (state: IndexState, since: number): IndexState =>
    state === 'WRITE_ONLY' && since <= generation ? 'BUILDING' : state;
  return {
    ...definition,
    indexes: definition.indexes.map((index) => ({
      ...index,
      state: next(index.state, sinceOf(index)),
    })),
    uniques: definition.uniques.map((unique) => ({
      ...unique,
      state: next(unique.state, unique.since ?? 1),
    })),
  };
}

/**
 * A definition all of whose records have reached a generation: what began with it or before is complete, and nothing of
 * what ended is left in them. A constraint with conflicts stays unready, but new values are checked.
 */
export function filled(
  definition: EntityDefinition,
  generation: number,
  blocked: ReadonlySet<string>,
): EntityDefinition {
  const life = lifeOf(definition);
  const isNew = (state: IndexState): boolean => state === 'WRITE_ONLY' || state === 'BUILDING';
  const { since, next } = life.totals;
  return {
    ...definition,
    indexes: definition.indexes.map((index) =>
      isNew(index.state) && sinceOf(index) <= generation ? { ...index, state: 'READY' } : index,
    ),
    uniques: definition.uniques
      .filter(({ state, until = 0 }) => state !== 'DROPPING' || until > generation)
      .map((unique) =>
        isNew(unique.state) && (unique.since ?? 1) <= generation && !blocked.has(claimsName(unique))
          ? { ...unique, state: 'READY' }
          : unique,
      ),
    life: {
      ...life,
      filled: Math.max(life.filled, generation),
      totals: next !== undefined && next <= generation ? { since: next, past: since } : life.totals,
      steps: life.steps.filter((step) => step.generation > generation),
    },
  };
}

/** A definition with one more job in its queue of builds, for its own generation. */
export function withBuild(definition: EntityDefinition, job: string): EntityDefinition {
  const life = lifeOf(definition);
  const builds = [...life.builds, { job, generation: life.generation }];
  return { ...definition, life: { ...life, builds } };
}

/** A definition without a job in its queue of builds. */
export function withoutBuild(definition: EntityDefinition, job: string): EntityDefinition {
  const life = lifeOf(definition);
  const builds = life.builds.filter((build) => build.job !== job);
  return builds.length === life.builds.length
    ? definition
    : { ...definition, life: { ...life, builds } };
}

/** A definition whose counters begin again with a generation of their own. */
export function recounted(definition: EntityDefinition): EntityDefinition {
  const past = lifeOf(definition);
  const generation = past.generation + 1;
  const life: EntityLife = {
    ...past,
    generation,
    counters: countersOf(definition.fields, {}, () => true, generation),
    totals: { ...past.totals, next: generation },
  };
  return { ...definition, life };
}

/** Whether indexes, constraints, counters or conversions are unfinished and no job is queued for them. */
export function isUnfinished(definition: EntityDefinition): boolean {
  const { builds, steps, counters, filled: reached } = lifeOf(definition);
  const { indexes, uniques } = definition;
  return (
    builds.length === 0 &&
    ([...indexes, ...uniques].some(({ state }) => state !== 'READY') ||
      (definition.life !== undefined && steps.length > 0) ||
      Object.values(counters).some(({ since }) => since > reached))
  );
}
