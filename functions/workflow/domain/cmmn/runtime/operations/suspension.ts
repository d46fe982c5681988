import { isTerminal } from '../../model/transition.ts';
import { isEnded, type LiveCase } from '../run/live-case.ts';
import { touchCase } from '../run/live-tree.ts';
import { emit, plan, type Run } from '../run/run.ts';
import { canRest, resumesWithParent } from './plan-item-operations.ts';

/**
 * Suspends a case, everything in it and the cases that its case tasks wait for (CMMN 1.1, 8.4).
 * @param isItself the command named this case, not one above it
 */
export function suspendCase(run: Run, caseInstance: LiveCase, isItself: boolean): void {
  caseInstance.state = 'suspended';
  caseInstance.isSuspendedItself = isItself || undefined;
  touchCase(caseInstance);
  emit(run, caseInstance, { type: 'caseSuspended' });
  for (const item of caseInstance.children) {
    if (canRest(item.state)) plan(run, { kind: 'parentSuspend', item });
  }
  for (const child of childCases(caseInstance)) {
    if (child.state === 'active') suspendCase(run, child, false);
  }
}

/** Resumes what `suspendCase` has suspended, but for what was suspended on its own. */
export function resumeCase(run: Run, caseInstance: LiveCase): void {
  caseInstance.state = 'active';
  caseInstance.isSuspendedItself = undefined;
  touchCase(caseInstance);
  run.touched.add(caseInstance);
  emit(run, caseInstance, { type: 'caseResumed' });
  for (const item of caseInstance.children) {
    if (resumesWithParent(item)) plan(run, { kind: 'parentResume', item });
  }
  for (const child of childCases(caseInstance)) {
    if (resumesWithParent(child)) resumeCase(run, child);
  }
}

function childCases({ planItems }: LiveCase): LiveCase[] {
  return planItems.flatMap(({ state, childCase }) =>
    childCase && !isTerminal(state) && !isEnded(childCase) ? [childCase] : [],
  );
}
