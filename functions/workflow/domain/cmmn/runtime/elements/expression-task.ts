import { addTransient, type Behavior, plan } from '../run/run.ts';
import { evaluateJson } from '../variables/expression-scope.ts';
import { setVariable } from '../variables/variables.ts';

/** Evaluates its expression when it starts, stores the result and completes (extension of Flowable). */
export const expressionTask: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    if (definition.type !== 'expressionTask') return;
    const { expression, resultVariableName: name, storeResultAsTransient } = definition;
    const value = evaluateJson(run, expression, item.caseInstance, item, { mayWrite: true });
    if (name && storeResultAsTransient) addTransient(run, { [name]: value });
    else if (name) setVariable(run, item, name, value);
    plan(run, { kind: 'complete', item });
  },
};
