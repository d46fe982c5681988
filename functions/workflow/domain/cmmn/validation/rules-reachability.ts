import type { Report } from '../basics/problem.ts';
import type { Sentry } from '../model/sentry.ts';
import { asItem, type CaseOutline, planItemSources } from './case-outline.ts';

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

/** The items that can be entered: those that wait for nothing, and what follows from them. */
function reachableItems({ planItems, sentriesById }: CaseOutline): ReadonlySet<string> {
  const waits = new Map<Sentry, Wait>();
  const waitsBySource = new Map<string, Wait[]>();
  const pending: string[] = [];
  const waitOf = (sentry: Sentry): Wait => {
    const known = waits.get(sentry);
    if (known) return known;
    const sources = new Set(planItemSources(sentry.onParts));
    const wait: Wait = { owners: [], missing: sources.size };
    waits.set(sentry, wait);
    for (const source of sources) {
      const others = waitsBySource.get(source);
      if (others) others.push(wait);
      else waitsBySource.set(source, [wait]);
    }
    return wait;
  };
  for (const { item } of planItems) {
    const found = item.entryCriteria.map(({ sentryRef }) => sentriesById.get(sentryRef));
    const waiting = found.map((sentry) => sentry && waitOf(sentry));
    if (waiting.length === 0 || waiting.some((wait) => !wait?.missing)) pending.push(item.id);
    for (const wait of waiting) wait?.owners.push(item.id);
  }
  return spread(pending, waitsBySource);
}

/** A sentry: who is entered by it, and how many sources cannot be reached yet. */
interface Wait {
  readonly owners: string[];
  missing: number;
}

function spread(
  pending: string[],
  waitsBySource: ReadonlyMap<string, readonly Wait[]>,
): ReadonlySet<string> {
  const reachable = new Set<string>();
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reachable.has(id)) continue;
    reachable.add(id);
    for (const wait of waitsBySource.get(id) ?? []) {
      wait.missing--;
      if (wait.missing === 0) for (const owner of wait.owners) pending.push(owner);
    }
  }
  return reachable;
}
