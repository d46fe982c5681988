import { type Behavior, emit, factsOf, plan } from '../run/run.ts';
import { evaluateText } from '../variables/expression-scope.ts';
import { setNamedVariable } from '../variables/named-variable.ts';
import { inValues } from '../variables/parameters.ts';
import { isBlocking } from './task.ts';

/** A process task asks for a process and, when it blocks, waits for its end (CMMN 1.1, 5.4). */
export const processTask: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    const { caseInstance } = item;
    if (definition.type !== 'processTask') return;
    const isWaiting = isBlocking(run, item);
    const processInstanceId = run.environment.newId();
    setNamedVariable(run, item, definition.idVariableName, processInstanceId);
    const inherited = definition.inheritBusinessKey ? caseInstance.source.businessKey : undefined;
    emit(run, caseInstance, {
      type: 'processRequested',
      ...factsOf(item),
      processInstanceId,
      processRef: evaluateText(run, definition.processRef, caseInstance, item) ?? '',
      businessKey: evaluateText(run, definition.businessKey, caseInstance, item) ?? inherited,
      variables: inValues(run, item, definition.inParameters),
      isBlocking: isWaiting,
      sameDeploymentAs: definition.sameDeployment ? caseInstance.source.definitionId : undefined,
    });
    if (!isWaiting) plan(run, { kind: 'complete', item });
  },
  onTransition(run, item, transition) {
    const isCancelled = transition === 'exit' || transition === 'terminate';
    if (!isCancelled || item.state !== 'active') return;
    emit(run, item.caseInstance, { type: 'processCancelled', ...factsOf(item) });
  },
  onTrigger(run, item) {
    emit(run, item.caseInstance, { type: 'processCancelled', ...factsOf(item) });
    plan(run, { kind: 'complete', item });
  },
};
