import type { Report } from '../basics/problem.ts';
import { constantText, type Expression } from '../expression/expression.ts';
import type { DecisionTask } from '../model/calling-task.ts';
import { asDefinition, type CaseOutline } from './case-outline.ts';
import type { ValidationContext } from './context.ts';

/**
 * Tasks that call something: cases, processes, decisions (CMMN 1.1, 5.4).
 * @param ownCases keys of the cases of the document
 */
export function checkCallingTasks(
  outline: CaseOutline,
  ownCases: ReadonlySet<string>,
  context: ValidationContext,
  report: Report,
): void {
  const { deployedCases, hasProcesses } = context;
  const isDeployed = (key: string): boolean =>
    deployedCases === undefined || deployedCases.has(key) || ownCases.has(key);
  for (const definition of outline.definitions) {
    const element = asDefinition(definition);
    if (definition.type === 'processTask' && !hasProcesses) {
      const message = 'Process tasks work only where the BPMN engine is switched on.';
      report.add('PROCESS_TASK_DISABLED', message, element);
    } else if (definition.type === 'caseTask') {
      const key = constantKey(definition.caseRef);
      if (key === undefined || isDeployed(key)) continue;
      report.add('CASE_REF_NOT_DEPLOYED', `There is no case "${key}" yet.`, element);
    } else if (definition.type === 'decisionTask') {
      checkDecision(definition, context, report);
    }
  }
}

function checkDecision(
  task: DecisionTask,
  { deployedDecisions }: ValidationContext,
  report: Report,
): void {
  const key = constantKey(task.decisionRef);
  if (key === undefined || !deployedDecisions || deployedDecisions.has(key)) return;
  const message = `There is no decision "${key}" yet.`;
  report.add('DECISION_REF_NOT_DEPLOYED', message, asDefinition(task));
}

/** The key that a task calls, unless it is an expression. */
export const constantKey = (expression: Expression): string | undefined =>
  constantText(expression) || undefined;
