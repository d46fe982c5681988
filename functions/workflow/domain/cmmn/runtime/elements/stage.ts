import { type Behavior, emit, plan } from '../run/run.ts';
import { evaluateText } from '../variables/expression-scope.ts';

/** A stage creates the instances of its plan items when it starts (CMMN 1.1, 5.4 and 8.4). */
export const stage: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    const { caseInstance } = item;
    if (definition.type === 'stage' && definition.businessStatus) {
      const businessStatus = evaluateText(run, definition.businessStatus, caseInstance, item);
      caseInstance.businessStatus = businessStatus;
      emit(run, caseInstance, { type: 'businessStatusChanged', businessStatus });
    }
    plan(run, { kind: 'initStage', item });
  },
};
