import { type Behavior, emit, factsOf, plan } from '../run/run.ts';
import { evaluateText } from '../variables/expression-scope.ts';
import { setVariable } from '../variables/variables.ts';

/** A milestone is reached as soon as it starts (CMMN 1.1, 5.4); it can leave a variable and a status behind. */
export const milestone: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    const { caseInstance } = item;
    if (definition.type !== 'milestone') return;
    const name = item.name || definition.name || '';
    emit(run, caseInstance, { type: 'milestoneReached', ...factsOf(item), name });
    if (definition.milestoneVariable) setVariable(run, item, definition.milestoneVariable, true);
    if (definition.businessStatus) {
      const businessStatus = evaluateText(run, definition.businessStatus, caseInstance, item);
      caseInstance.businessStatus = businessStatus;
      emit(run, caseInstance, { type: 'businessStatusChanged', businessStatus });
    }
    plan(run, { kind: 'occur', item });
  },
};
