import type { CaseInstance, PlanItemInstance } from './state.ts';

/**
 * Freezes a stored case whose parts are frozen already, except the values of variables, which are the caller's. What
 * cannot change is validated only once.
 */
export function freezeFrame(stored: CaseInstance): CaseInstance {
  const { planItems, satisfiedParts, parent, completedBefore, endedCounts, aggregations } = stored;
  Object.freeze(planItems);
  Object.freeze(satisfiedParts);
  if (parent) Object.freeze(parent);
  Object.freeze(completedBefore);
  Object.freeze(endedCounts);
  for (const aggregation of aggregations ?? []) {
    Object.freeze(aggregation.entries);
    Object.freeze(aggregation);
  }
  if (aggregations) Object.freeze(aggregations);
  return Object.freeze(stored);
}

/** Freezes a stored plan item instance. */
export function freezePlanItem(stored: PlanItemInstance): PlanItemInstance {
  const { satisfiedParts, timer, task } = stored;
  if (satisfiedParts) Object.freeze(satisfiedParts);
  if (timer) Object.freeze(timer);
  if (task) Object.freeze(task);
  return Object.freeze(stored);
}
