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

/** How a case ends; `forceComplete`: an exit criterion completes it. */
export type CaseEnding = 'complete' | 'forceComplete' | 'exit' | 'terminate';

/**
 * Tells the case task that its case has ended (CMMN 1.1, 5.4): it ends in the same way. A case that an exit
 * criterion completes hands over nothing, so its out parameters become null (the peer).
 */
export function caseHasEnded(run: Run, child: LiveCase, how: CaseEnding): void {
  const item = waitingCaseTask(run, child);
  if (!item || (item.state !== 'active' && item.state !== 'suspended')) return;
  const completes = how === 'complete' || how === 'forceComplete';
  if (completes) readOutParameters(run, item, child, { areGone: how === 'forceComplete' });
  plan(run, { kind: completes ? 'complete' : how, item });
}
