import { waitingCaseTask } from '../run/family.ts';
import type { LiveCase } from '../run/live-case.ts';
import { plan, type Run } from '../run/run.ts';
import { readOutParameters } from '../variables/parameters.ts';

/** How a case ends; `forceComplete`: an exit criterion completes it. */
export type CaseEnding = 'complete' | 'forceComplete' | 'exit' | 'terminate';

/**
 * Tells the case task that its case has ended (CMMN 1.1, 5.4): it ends in the same way. A case that an exit
 * criterion completes hands over nothing, so its out parameters become null (Flowable).
 */
export function caseHasEnded(run: Run, child: LiveCase, how: CaseEnding): void {
  const item = child.isDetached ? undefined : waitingCaseTask(child);
  if (!item || (item.state !== 'active' && item.state !== 'suspended')) return;
  const completes = how === 'complete' || how === 'forceComplete';
  if (completes) readOutParameters(run, item, child, { areGone: how === 'forceComplete' });
  plan(run, { kind: completes ? 'complete' : how, item, cause: 'calledEnded' });
}
