import { countValue } from '../run/agenda.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { touch } from '../run/live-tree.ts';
import { type Behavior, emit, factsOf, plan, type Run } from '../run/run.ts';
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
    item.processInstanceId = processInstanceId;
    touch(item);
    setNamedVariable(run, item, definition.idVariableName, processInstanceId);
    const variables = inValues(run, item, definition.inParameters);
    countValue(run.agenda, variables);
    const inherited = definition.inheritBusinessKey ? caseInstance.source.businessKey : undefined;
    emit(run, caseInstance, {
      type: 'processRequested',
      ...factsOf(item),
      processInstanceId,
      processRef: evaluateText(run, definition.processRef, caseInstance, item) ?? '',
      businessKey: evaluateText(run, definition.businessKey, caseInstance, item) ?? inherited,
      variables,
      isBlocking: isWaiting,
      sameDeploymentAs: definition.sameDeployment ? caseInstance.source.definitionId : undefined,
    });
    if (!isWaiting) plan(run, { kind: 'complete', item });
  },
  onTransition(run, item, transition) {
    if (transition === 'exit' || transition === 'terminate') cancelProcess(run, item);
  },
  onTrigger(run, item) {
    cancelProcess(run, item);
    plan(run, { kind: 'complete', item });
  },
};

/** An active instance has a process, and so has one that has been active before it was suspended. */
function cancelProcess(run: Run, item: LivePlanItem): void {
  const { processInstanceId } = item;
  if (processInstanceId === undefined) return;
  emit(run, item.caseInstance, { type: 'processCancelled', ...factsOf(item), processInstanceId });
  item.processInstanceId = undefined;
  touch(item);
}
