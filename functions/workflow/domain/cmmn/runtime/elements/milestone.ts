import { type Behavior, emit, factsOf, plan } from '../run/run.ts';
import { setNamedVariable } from '../variables/named-variable.ts';
import { setBusinessStatus } from './business-status.ts';

/** A milestone is reached as soon as it starts (CMMN 1.1, 5.4); it can leave a variable and a status behind. */
export const milestone: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    const { caseInstance } = item;
    if (definition.type !== 'milestone') return;
    const name = item.name || definition.name || '';
    emit(run, caseInstance, { type: 'milestoneReached', ...factsOf(item), name });
    setNamedVariable(run, item, definition.milestoneVariable, true);
    setBusinessStatus(run, item, definition.businessStatus);
    plan(run, { kind: 'occur', item });
  },
};
