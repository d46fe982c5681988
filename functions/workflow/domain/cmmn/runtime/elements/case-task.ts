import { CmmnError } from '../../basics/cmmn-error.ts';
import type { Cause } from '../../contract/effect.ts';
import type { DeployedCase } from '../../contract/environment.ts';
import type { CaseTask } from '../../model/calling-task.ts';
import { openCase } from '../instances/open-case.ts';
import { linkChild } from '../run/family.ts';
import { isEnded, type LiveCase, type LivePlanItem } from '../run/live-case.ts';
import { touch } from '../run/live-tree.ts';
import { type Behavior, latestDefinition, plan, type Run } from '../run/run.ts';
import { evaluateText } from '../variables/expression-scope.ts';
import { setNamedVariable } from '../variables/named-variable.ts';
import { inValues, readOutParameters } from '../variables/parameters.ts';
import { isBlocking } from './task.ts';

/** A case task starts another case and, when it blocks, waits for its end (CMMN 1.1, 5.4). */
export const caseTask: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    if (definition.type !== 'caseTask') return;
    const isWaiting = isBlocking(run, item);
    const child = startChild(run, item, definition, isWaiting);
    setNamedVariable(run, item, definition.idVariableName, child.id);
    if (isWaiting) {
      item.childCaseInstanceId = child.id;
      linkChild(item, child);
      touch(item);
    } else {
      plan(run, { kind: 'complete', item });
    }
  },
  onTransition(run, item, transition) {
    const child = item.childCase;
    if (!child || (transition !== 'exit' && transition !== 'terminate')) return;
    if (transition === 'exit') readOutParameters(run, item, child);
    if (!isEnded(child))
      letGo(run, child, transition === 'exit' ? 'parentExited' : 'parentTerminated');
  },
  onTrigger(run, item) {
    const child = item.childCase;
    if (child) readOutParameters(run, item, child);
    if (child && !isEnded(child)) letGo(run, child, 'parentCompleted');
    plan(run, { kind: 'complete', item });
  },
};

/** Ends the child; the task does not wait for it any more. */
function letGo(run: Run, child: LiveCase, cause: Cause): void {
  child.isDetached = true;
  plan(run, { kind: 'terminateCase', caseInstance: child, cause });
}

function startChild(
  run: Run,
  item: LivePlanItem,
  definition: CaseTask,
  isWaiting: boolean,
): LiveCase {
  const { caseInstance } = item;
  const { source } = caseInstance;
  const depth = (source.depth ?? 0) + 1;
  const deployed = findDefinition(run, item, definition, depth);
  const ownKey = evaluateText(run, definition.businessKey, caseInstance, item);
  const inherited = definition.inheritBusinessKey ? source.businessKey : undefined;
  const variables = {
    ...inValues(run, item, definition.inParameters),
    ...item.childVariables,
  };
  const child = openCase(run, deployed, {
    name: evaluateText(run, definition.caseInstanceName, caseInstance, item),
    businessKey: ownKey ?? inherited,
    tenantId: source.tenantId,
    parent: { caseInstanceId: caseInstance.id, planItemInstanceId: item.id, isWaiting },
    familyId: isWaiting ? caseInstance.familyId : undefined,
    depth,
    variables,
  });
  item.childVariables = undefined;
  return child;
}

/** @throws CmmnError `CASE_TASK_RECURSION`, `CASE_DEFINITION_NOT_FOUND` */
function findDefinition(
  run: Run,
  item: LivePlanItem,
  definition: CaseTask,
  depth: number,
): DeployedCase {
  const key = evaluateText(run, definition.caseRef, item.caseInstance, item) ?? '';
  if (depth > run.limits.maxCaseDepth) {
    const message = `Case tasks start each other more than ${run.limits.maxCaseDepth} deep.`;
    throw new CmmnError('CASE_TASK_RECURSION', message, {
      planItemInstanceId: item.id,
      reference: key,
    });
  }
  const { tenantId, definitionId } = item.caseInstance.source;
  return latestDefinition(run, key, tenantId, definition.sameDeployment ? definitionId : undefined);
}
