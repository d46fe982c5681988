import type { Selector, Step } from './scenario.ts';
import { findCase, type SeenCase, type SeenPlanItem, type SeenWorld } from './seen.ts';

/** The case that a step is about. */
export const caseOf = (world: SeenWorld, step: Pick<Step, 'case'>): SeenCase =>
  step.case === undefined ? world.root : (findCase(world, step.case) ?? world.root);

/** The instances that a selector means; ended ones never match. @throws Error when it means none */
export function choose(live: readonly SeenPlanItem[], step: Step): readonly SeenPlanItem[] {
  const isTask = step.op === 'completeTask';
  const matching = live.filter(
    (item) =>
      matches(item, step) &&
      (!isTask || (item.definitionType === 'humanTask' && item.instance.state === 'active')),
  );
  if (step.orderBy === 'name') {
    matching.sort((left, right) => left.instance.name.localeCompare(right.instance.name));
  }
  if (step.all) return matching;
  const chosen = matching[(step.occurrence ?? 1) - 1];
  if (!chosen) throw new Error(`no plan item instance is meant by ${JSON.stringify(step)}`);
  return [chosen];
}

function matches(item: SeenPlanItem, selector: Selector): boolean {
  const { name, definitionId, type, state, whereLocal } = selector;
  const { instance } = item;
  return (
    (name === undefined || instance.name === name) &&
    (definitionId === undefined || item.definitionKey === definitionId) &&
    (type === undefined || item.definitionType === type) &&
    (state === undefined || instance.state === state) &&
    Object.entries(whereLocal ?? {}).every(([key, value]) => instance.variables?.[key] === value)
  );
}
