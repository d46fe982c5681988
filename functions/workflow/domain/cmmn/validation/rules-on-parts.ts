import type { Report } from '../basics/problem.ts';
import type { PlanItemDefinition } from '../model/plan-item-definition.ts';
import { isEventListener } from '../model/plan-item-definition.ts';
import type { PlanItemOnPart, Sentry } from '../model/sentry.ts';
import type { PlanItemTransition } from '../model/transition.ts';
import { asCriterion, asSentry, type CaseOutline, planItemSources } from './case-outline.ts';

/** On-parts and the events that their sources can have (CMMN 1.1, 5.4). */
export function checkOnParts(outline: CaseOutline, report: Report): void {
  const exits = exitCriteriaOf(outline);
  for (const sentry of outline.sentries) {
    for (const part of sentry.onParts) {
      if (part.kind === 'planItem') checkSource(outline, exits, sentry, part, report);
    }
  }
  checkSelfReference(outline, report);
}

function checkSource(
  { planItemsById }: CaseOutline,
  exits: ReadonlyMap<string, string>,
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
  if (source && exitCriterionRef && exits.get(exitCriterionRef) !== sourceRef) {
    const message = `"${sourceRef}" has no exit criterion "${exitCriterionRef}".`;
    report.add('REFERENCE_UNRESOLVED', message, asSentry(sentry));
  }
}

/** The exit criteria of plan items, by id, with the id of the item. */
const exitCriteriaOf = ({ criteria }: CaseOutline): ReadonlyMap<string, string> =>
  new Map(
    criteria.flatMap(({ kind, criterion, owner }) =>
      kind === 'exit' && owner ? [[criterion.id, owner.item.id] as const] : [],
    ),
  );

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
function checkSelfReference({ criteria, sentries }: CaseOutline, report: Report): void {
  const sources = new Map(
    sentries.map((sentry) => [sentry, new Set(planItemSources(sentry.onParts))]),
  );
  for (const placed of criteria) {
    const { kind, owner, sentry } = placed;
    if (kind !== 'entry' || !owner || !sentry) continue;
    if (!sources.get(sentry)?.has(owner.item.id)) continue;
    report.add('ON_PART_SELF', 'The item waits for its own event.', asCriterion(placed));
  }
}
