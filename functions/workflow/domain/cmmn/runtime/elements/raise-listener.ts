import { copyInstance, counterOf, counterVariables } from '../instances/plan-item-instances.ts';
import { mayRepeat } from '../instances/repetition.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { plan, type Run } from '../run/run.ts';
import { notifyLifecycleListeners } from '../variables/lifecycle-listeners.ts';

/** A listener occurs; with a repetition rule a copy in its stead, so that the id to raise stays the same. */
export function raiseListener(run: Run, item: LivePlanItem): void {
  if (!mayRepeat(run, item, item.stage)) {
    plan(run, { kind: 'occur', item });
    return;
  }
  const variables = counterVariables(item.planItem, counterOf(item) + 1);
  const copy = copyInstance(run, item, { variables });
  plan(run, { kind: 'create', item: copy, isSilent: true });
  plan(run, { kind: 'occur', item: copy });
  // To Flowable the listener has been active meanwhile and is available again.
  notifyLifecycleListeners(run, item, 'active');
}
