import { type Behavior, plan } from '../run/run.ts';
import { setBusinessStatus } from './business-status.ts';

/** A stage creates the instances of its plan items when it starts (CMMN 1.1, 5.4 and 8.4). */
export const stage: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    if (definition.type === 'stage') setBusinessStatus(run, item, definition.businessStatus);
    plan(run, { kind: 'initStage', item });
  },
};
