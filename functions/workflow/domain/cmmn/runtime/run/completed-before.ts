import type { Container, LivePlanItem } from './live-case.ts';
import { containerOf } from './live-case.ts';

const containerKey = (container: Container): string => (container.isCase ? '' : container.id);

/** Whether the plan item has a completed instance in the same stage instance, in this command or before. */
export function completedBefore(item: LivePlanItem): boolean {
  const known = item.caseInstance.completedBefore[containerKey(containerOf(item))];
  return known?.includes(item.planItem.id) ?? false;
}

/** Remembers that an instance has completed; once for each plan item and stage instance. */
export function rememberCompletion(item: LivePlanItem): void {
  if (completedBefore(item)) return;
  const { caseInstance } = item;
  const key = containerKey(containerOf(item));
  const known = caseInstance.completedBefore[key] ?? [];
  caseInstance.completedBefore = {
    ...caseInstance.completedBefore,
    [key]: [...known, item.planItem.id],
  };
}

/** Forgets what happened in a stage instance that has ended. */
export function forgetStage(stage: LivePlanItem): void {
  const { caseInstance } = stage;
  if (!Object.hasOwn(caseInstance.completedBefore, stage.id)) return;
  const { [stage.id]: _, ...others } = caseInstance.completedBefore;
  caseInstance.completedBefore = others;
}
