import type { Report } from '../basics/problem.ts';
import { asItem, type CaseOutline, type PlacedItem, planItemSources } from './case-outline.ts';

/** Required items that nothing can ever enter keep their stage open for ever (CMMN 1.1, 5.4). */
export function checkReachability(outline: CaseOutline, report: Report): void {
  const reachable = reachableItems(outline);
  for (const placed of outline.planItems) {
    const { item, definition } = placed;
    const rule = item.itemControl?.requiredRule ?? definition?.defaultControl?.requiredRule;
    if (!rule || reachable.has(item.id)) continue;
    const message = 'The item is required, but none of its entry criteria can ever be satisfied.';
    report.add('REQUIRED_UNREACHABLE', message, asItem(placed));
  }
}

/** Grows the set of items that can be entered until it grows no more. */
function reachableItems(outline: CaseOutline): ReadonlySet<string> {
  const sentries = new Map(outline.sentries.map((sentry) => [sentry.id, sentry]));
  const reachable = new Set<string>();
  const canBeEntered = ({ item }: PlacedItem): boolean =>
    item.entryCriteria.length === 0 ||
    item.entryCriteria.some(({ sentryRef }) =>
      planItemSources(sentries.get(sentryRef)?.onParts ?? []).every(
        (source) => source !== item.id && reachable.has(source),
      ),
    );
  let size = -1;
  while (size !== reachable.size) {
    size = reachable.size;
    for (const placed of outline.planItems) {
      if (canBeEntered(placed)) reachable.add(placed.item.id);
    }
  }
  return reachable;
}
