import { isTerminal } from '../model/transition.ts';
import { isEnded, type LiveCase } from './live-case.ts';
import { canRest } from './plan-item-operations.ts';
import { emit, findCase, plan, type Run } from './run.ts';

/** Suspends a case, everything in it and the cases that its case tasks wait for (CMMN 1.1, table 8.2). */
export function suspendCase(run: Run, caseInstance: LiveCase): void {
  caseInstance.state = 'suspended';
  caseInstance.revision++;
  emit(run, caseInstance, { type: 'caseSuspended' });
  for (const item of caseInstance.children) {
    if (canRest(item.state)) plan(run, { kind: 'parentSuspend', item });
  }
  for (const child of childCases(run, caseInstance)) {
    if (child.state === 'active') suspendCase(run, child);
  }
}

/** Resumes what `suspendCase` has suspended. Timers that have become due meanwhile fire at once. */
export function resumeCase(run: Run, caseInstance: LiveCase): void {
  caseInstance.state = 'active';
  caseInstance.revision++;
  run.touched.add(caseInstance);
  emit(run, caseInstance, { type: 'caseResumed' });
  for (const item of caseInstance.children) {
    if (item.state === 'suspended') plan(run, { kind: 'parentResume', item });
  }
  for (const child of childCases(run, caseInstance)) {
    if (child.state === 'suspended') resumeCase(run, child);
  }
}

/** The timers of the case that are due, in order of their due time. */
export function fireDueTimers(run: Run, caseInstance: LiveCase): void {
  const due = caseInstance.planItems.filter(
    (item) =>
      item.state === 'available' &&
      item.timer &&
      Date.parse(item.timer.dueAt) <= run.environment.now,
  );
  due.sort((left, right) => compareText(left.timer?.dueAt ?? '', right.timer?.dueAt ?? ''));
  for (const item of due) run.behaviors.timerEventListener.onTrigger?.(run, item);
}

const compareText = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0;

function childCases(run: Run, caseInstance: LiveCase): LiveCase[] {
  return caseInstance.planItems.flatMap((item) => {
    const isOpen = !isTerminal(item.state) && item.childCaseInstanceId !== undefined;
    const child = isOpen ? findCase(run, item.childCaseInstanceId ?? '') : undefined;
    return child && !isEnded(child) ? [child] : [];
  });
}
