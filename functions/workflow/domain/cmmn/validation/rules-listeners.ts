import type { Report } from '../basics/problem.ts';
import type { TimerEventListener } from '../model/event-listener.ts';
import { parseTimer } from '../time/timer-expression.ts';
import { asDefinition, asItem, type CaseOutline, type PlacedItem } from './case-outline.ts';
import { neverHappens } from './rules-on-parts.ts';

/** Event listeners (CMMN 1.1, 5.4). */
export function checkListeners(outline: CaseOutline, report: Report): void {
  const roles = new Set(outline.definition.roles.map(({ id }) => id));
  for (const definition of outline.definitions) {
    if (definition.type === 'timerEventListener') checkTimer(outline, definition, report);
    if (definition.type !== 'userEventListener') continue;
    for (const role of definition.authorizedRoleRefs ?? []) {
      if (roles.has(role)) continue;
      report.add('ROLE_REF_UNRESOLVED', `There is no role "${role}".`, asDefinition(definition));
    }
  }
  checkPlannableRoles(outline, roles, report);
  checkReactivation(outline, report);
}

function checkTimer(outline: CaseOutline, timer: TimerEventListener, report: Report): void {
  const { timerExpression, startTrigger } = timer;
  const { text, language } = timerExpression;
  const isConstant = language === 'juel' && !/[$#]\{/.test(text);
  if (isConstant && text !== '' && !parseTimer(text, 0)) {
    const message = `"${text}" is not a date, duration, repetition or cron expression.`;
    report.add('TIMER_EXPRESSION_INVALID', message, asDefinition(timer));
  }
  if (!startTrigger) return;
  const { sourceRef, standardEvent } = startTrigger;
  const source = outline.planItemsById.get(sourceRef);
  if (!source) {
    const message = `There is no plan item "${sourceRef}".`;
    report.add('TIMER_START_TRIGGER_UNRESOLVED', message, asDefinition(timer));
  } else if (source.definition && neverHappens(source.definition, standardEvent)) {
    const message = `"${standardEvent}" never happens to "${sourceRef}", a ${source.definition.type}.`;
    report.add('ON_PART_EVENT_NOT_POSSIBLE', message, asDefinition(timer));
  }
}

function checkPlannableRoles(
  { planItems }: CaseOutline,
  roles: ReadonlySet<string>,
  report: Report,
): void {
  for (const placed of planItems) {
    for (const role of placed.item.discretionary?.authorizedRoleRefs ?? []) {
      if (roles.has(role)) continue;
      report.add('ROLE_REF_UNRESOLVED', `There is no role "${role}".`, asItem(placed));
    }
  }
}

/** A case is reactivated by one listener, which must be in the plan model. */
function checkReactivation({ definition, planItems }: CaseOutline, report: Report): void {
  const listeners = planItems.filter(
    (placed: PlacedItem) => placed.definition?.type === 'reactivateEventListener',
  );
  for (const placed of listeners) {
    if (placed.stage !== definition.planModel) {
      const message = 'A reactivation listener must stand in the case plan model.';
      report.add('REACTIVATE_LISTENER_IN_STAGE', message, asItem(placed));
    }
    if (placed !== listeners[0]) {
      const message = 'A case has at most one reactivation listener.';
      report.add('REACTIVATE_LISTENER_MULTIPLE', message, asItem(placed));
    }
  }
}
