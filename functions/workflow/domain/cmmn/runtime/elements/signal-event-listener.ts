import { hasAvailableCondition } from '../rules/available-condition.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { touch } from '../run/live-tree.ts';
import { type Behavior, emit, factsOf, type Run } from '../run/run.ts';
import { evaluateKey } from '../variables/key-text.ts';
import { raiseListener } from './raise-listener.ts';

/**
 * A signal listener waits for signals of a name as long as it is available (extension of Flowable). The name is
 * resolved when it becomes available, so that a host finds the subscribed cases without reading them.
 */
export const signalEventListener: Behavior = {
  onTrigger: raiseListener,
  onTransition(run, item, transition, { isSilent }) {
    switch (transition) {
      case 'create':
        if (!isSilent && !hasAvailableCondition(item)) subscribe(run, item);
        break;
      case 'initiate':
        subscribe(run, item);
        break;
      case 'resume':
      case 'parentResume':
        if (item.suspendedFrom === 'available') tell(run, item, 'signalSubscribed');
        break;
      case 'suspend':
      case 'parentSuspend':
        tell(run, item, 'signalUnsubscribed');
        break;
      default:
        tell(run, item, 'signalUnsubscribed');
        item.signalName = undefined;
        touch(item);
    }
  },
};

function subscribe(run: Run, item: LivePlanItem): void {
  const { definition } = item.planItem;
  if (definition.type !== 'signalEventListener') return;
  item.signalName = evaluateKey(run, definition.signalRef, item);
  touch(item);
  tell(run, item, 'signalSubscribed');
}

function tell(run: Run, item: LivePlanItem, type: 'signalSubscribed' | 'signalUnsubscribed'): void {
  const { signalName } = item;
  if (signalName === undefined || (item.state === 'suspended' && type === 'signalUnsubscribed'))
    return;
  emit(run, item.caseInstance, { type, ...factsOf(item), signalName });
}
