import type { Container, LiveCase, LivePlanItem } from './live-case.ts';
import { containerOf } from './live-case.ts';

const NOTHING: readonly string[] = [];

const containerKey = (container: Container): string => (container.isCase ? '' : container.id);

/** What has completed in a stage instance, or under '' in the case itself. */
function completionsIn({ completions, source }: LiveCase, key: string): Set<string> {
  const known = completions.get(key);
  if (known) return known;
  const stored = Object.hasOwn(source.completedBefore, key) ? source.completedBefore[key] : NOTHING;
  const fresh = new Set(stored);
  completions.set(key, fresh);
  return fresh;
}

/** Whether the plan item has a completed instance in the same stage instance, in this command or before. */
export const completedBefore = (item: LivePlanItem): boolean =>
  completionsIn(item.caseInstance, containerKey(containerOf(item))).has(item.planItem.id);

/** Remembers that an instance has completed; once for each plan item and stage instance. */
export function rememberCompletion(item: LivePlanItem): void {
  completionsIn(item.caseInstance, containerKey(containerOf(item))).add(item.planItem.id);
}

/** Forgets what happened in a stage instance that has ended. */
export function forgetStage({ caseInstance, id }: LivePlanItem): void {
  caseInstance.completions.set(id, new Set());
}

/** What is stored of it: stage instances in which nothing has completed are left out. */
export function storeCompletions({
  completions,
  source,
}: LiveCase): LiveCase['source']['completedBefore'] {
  if (completions.size === 0) return source.completedBefore;
  const stored: Record<string, readonly string[]> = {};
  for (const key of new Set([...Object.keys(source.completedBefore), ...completions.keys()])) {
    const items = completions.get(key);
    const list = items ? Object.freeze([...items]) : source.completedBefore[key];
    if (list && list.length > 0) stored[key] = list;
  }
  return stored;
}
