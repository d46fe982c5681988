import type { Report } from '../basics/problem.ts';
import type { PlanItemDefinition } from '../model/plan-item-definition.ts';
import { isEventListener } from '../model/plan-item-definition.ts';
import type { PlanItemOnPart, Sentry } from '../model/sentry.ts';
import type { PlanItemTransition } from '../model/transition.ts';
import { asCriterion, asSentry, type CaseOutline, planItemSources } from './case-outline.ts';

/** On-parts and the events that their sources can have (CMMN 1.1, 5.4). */
export function checkOnParts(outline: CaseOutline, report: Report): void {
  for (const sentry of outline.sentries) {
    for (const part of sentry.onParts) {
      if (part.kind === 'planItem') checkSource(outline, sentry, part, report);
    }
  }
  checkSelfReference(outline, report);
}

function checkSource(
  { planItemsById }: CaseOutline,
  sentry: Sentry,
  { sourceRef, standardEvent, exitCriterionRef }: PlanItemOnPart,
  report: Report,
): void {
  const source = planItemsById.get(sourceRef);
  if (!source) {
    const message = `There is no plan item "${sourceRef}".`;
    report.add('ON_PART_SOURCE_UNRESOLVED', message, asSentry(sentry));
  } else if (source.definition && neverHappens(source.definition, standardEvent)) {
    const message = `"${standardEvent}" never happens to "${sourceRef}", a ${source.definition.type}.`;
    report.add('ON_PART_EVENT_NOT_POSSIBLE', message, asSentry(sentry));
  }
  const exits = source?.item.exitCriteria ?? [];
  if (source && exitCriterionRef && !exits.some(({ id }) => id === exitCriterionRef)) {
    const message = `"${sourceRef}" has no exit criterion "${exitCriterionRef}".`;
    report.add('REFERENCE_UNRESOLVED', message, asSentry(sentry));
  }
}

const NEVER_OF_LISTENERS: readonly PlanItemTransition[] = [
  'start',
  'enable',
  'disable',
  'complete',
  'fault',
];
const NEVER_OF_MILESTONES: readonly PlanItemTransition[] = [
  'complete',
  'fault',
  'disable',
  'initiate',
  'dismiss',
];
const NEVER_OF_WORK: readonly PlanItemTransition[] = ['occur', 'initiate', 'dismiss'];

/** Whether an instance of the definition can never have the event. */
export function neverHappens(definition: PlanItemDefinition, event: PlanItemTransition): boolean {
  if (isEventListener(definition)) return NEVER_OF_LISTENERS.includes(event);
  if (definition.type === 'milestone') return NEVER_OF_MILESTONES.includes(event);
  return NEVER_OF_WORK.includes(event);
}

/** An item that waits for itself can be entered only when it repeats. */
function checkSelfReference({ criteria }: CaseOutline, report: Report): void {
  for (const placed of criteria) {
    const { kind, owner, sentry } = placed;
    if (kind !== 'entry' || !owner || !sentry) continue;
    const waitsForItself = planItemSources(sentry.onParts).includes(owner.item.id);
    if (!waitsForItself) continue;
    report.add('ON_PART_SELF', 'The item waits for its own event.', asCriterion(placed));
  }
}
