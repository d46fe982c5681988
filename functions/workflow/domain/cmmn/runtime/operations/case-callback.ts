import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { findCase, plan, type Run } from '../run/run.ts';
import { readOutParameters } from '../variables/parameters.ts';

/** The instance of the case task that waits for the case, as long as it does. */
function waitingCaseTask(run: Run, child: LiveCase): LivePlanItem | undefined {
  const { parent } = child.source;
  if (!parent || child.isDetached) return undefined;
  return findCase(run, parent.caseInstanceId)?.planItems.find(
    (item) => item.id === parent.planItemInstanceId && item.childCaseInstanceId === child.id,
  );
}

/** Tells the case task that its case has ended (CMMN 1.1, 5.4): it ends in the same way. */
export function caseHasEnded(
  run: Run,
  child: LiveCase,
  how: 'complete' | 'exit' | 'terminate',
): void {
  const item = waitingCaseTask(run, child);
  if (!item || (item.state !== 'active' && item.state !== 'suspended')) return;
  if (how === 'complete') readOutParameters(run, item, child);
  plan(run, { kind: how, item });
}
