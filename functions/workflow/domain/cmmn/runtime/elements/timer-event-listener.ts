import { CmmnError, shown } from '../../basics/cmmn-error.ts';
import type { Timer } from '../../time/timer.ts';
import { capCatchUp, nextTimer, parseTimer } from '../../time/timer-expression.ts';
import { copyInstance } from '../instances/plan-item-instances.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { touch } from '../run/live-tree.ts';
import { type Behavior, emit, factsOf, plan, type Run } from '../run/run.ts';
import { evaluateText } from '../variables/expression-scope.ts';

/**
 * A timer counts from its creation, from the moment its available condition becomes true, or from its start
 * trigger (CMMN 1.1, 5.4). Each firing completes one instance; a repeating timer continues in the next one.
 */
export const timerEventListener: Behavior = {
  onTransition(run, item, transition) {
    const { definition, startTrigger } = item.planItem;
    if (definition.type !== 'timerEventListener') return;
    switch (transition) {
      case 'create':
        if (!definition.availableCondition && !startTrigger && !item.timer)
          scheduleTimer(run, item);
        else tell(run, item, 'timerScheduled');
        break;
      case 'initiate':
        if (!startTrigger) scheduleTimer(run, item);
        break;
      case 'dismiss':
      case 'terminate':
      case 'exit':
        cancelTimer(run, item);
        break;
      case 'suspend':
      case 'parentSuspend':
        tell(run, item, 'timerCancelled');
        break;
      case 'resume':
      case 'parentResume':
        tell(run, item, 'timerScheduled');
        break;
      default:
    }
  },
  onTrigger(run, item) {
    const next = item.timer && followUp(run, item, item.timer);
    tell(run, item, 'timerFired');
    item.timer = undefined;
    touch(item);
    plan(run, { kind: 'occur', item });
    if (!next) return;
    plan(run, { kind: 'create', item: copyInstance(run, item, { timer: next }) });
  },
};

/** Sets the clock of a timer. @throws CmmnError `TIMER_EXPRESSION_INVALID` */
export function scheduleTimer(run: Run, item: LivePlanItem): void {
  const { definition } = item.planItem;
  if (definition.type !== 'timerEventListener') return;
  const { timerExpression } = definition;
  const text = evaluateText(run, timerExpression, item.caseInstance, item);
  const timer = text === undefined ? undefined : parseTimer(text, run.environment.now);
  if (!timer) {
    const message = `"${item.name || definition.id}": "${shown(text ?? '')}" is not a date, duration, repetition or cron expression.`;
    throw new CmmnError('TIMER_EXPRESSION_INVALID', message, {
      planItemInstanceId: item.id,
      elementId: item.planItem.id,
      expression: timerExpression.text,
    });
  }
  item.timer = timer;
  touch(item);
  tell(run, item, 'timerScheduled');
}

/** The timer of the next firing, without those that are too long overdue to be caught up with. */
function followUp(run: Run, item: LivePlanItem, fired: Timer): Timer | undefined {
  const next = nextTimer(fired);
  const { limits, environment } = run;
  const capped = next && capCatchUp(next, environment.now, limits.maxTimerCatchUp);
  if (!capped) return next;
  const { timer, skipped } = capped;
  const { dueAt } = timer;
  emit(run, item.caseInstance, { type: 'timerCatchUpCapped', ...factsOf(item), skipped, dueAt });
  return timer;
}

function tell(
  run: Run,
  item: LivePlanItem,
  type: 'timerScheduled' | 'timerCancelled' | 'timerFired',
): void {
  if (!item.timer) return;
  const { dueAt } = item.timer;
  emit(run, item.caseInstance, { type, ...factsOf(item), dueAt });
}

function cancelTimer(run: Run, item: LivePlanItem): void {
  if (!item.timer) return;
  tell(run, item, 'timerCancelled');
  item.timer = undefined;
  touch(item);
}
