import type { Report } from '../basics/problem.ts';
import type { Expression } from '../expression/expression.ts';
import type { DecisionTask } from '../model/calling-task.ts';
import type { CaseDefinition, Definitions } from '../model/case-definition.ts';
import { asDefinition, type CaseOutline, outlineOf } from './case-outline.ts';
import type { ValidationContext } from './context.ts';

/** Tasks that call something: cases, processes, decisions (CMMN 1.1, 5.4). */
export function checkCallingTasks(
  outline: CaseOutline,
  definitions: Definitions,
  context: ValidationContext,
  report: Report,
): void {
  const cases = context.deployedCases && [
    ...definitions.cases.map(({ key }) => key),
    ...context.deployedCases,
  ];
  for (const definition of outline.definitions) {
    const element = asDefinition(definition);
    if (definition.type === 'processTask' && !context.hasProcesses) {
      const message = 'Process tasks work only where the BPMN engine is switched on.';
      report.add('PROCESS_TASK_DISABLED', message, element);
    } else if (definition.type === 'caseTask' && isMissing(definition.caseRef, cases)) {
      const message = `There is no case "${definition.caseRef.text}" yet.`;
      report.add('CASE_REF_NOT_DEPLOYED', message, element);
    } else if (definition.type === 'decisionTask') {
      checkDecision(definition, context, report);
    }
  }
  checkRecursion(outline.definition, definitions, report);
}

function checkDecision(task: DecisionTask, context: ValidationContext, report: Report): void {
  const { decisionRef } = task;
  const { deployedDecisions } = context;
  if (!isMissing(decisionRef, deployedDecisions && [...deployedDecisions])) return;
  const message = `There is no decision "${decisionRef.text}" yet.`;
  report.add('DECISION_REF_NOT_DEPLOYED', message, asDefinition(task));
}

/** Whether the key is constant and not among the known ones; when those are not known, nothing is missing. */
function isMissing(reference: Expression, known: readonly string[] | undefined): boolean {
  const key = constant(reference);
  return key !== undefined && known !== undefined && !known.includes(key);
}

const constant = ({ text, language }: Expression): string | undefined =>
  language === 'juel' && text !== '' && !/[$#]\{/.test(text) ? text : undefined;

/** Cases of the document whose case tasks lead back to themselves; the engine ends such a chain by a limit. */
function checkRecursion(definition: CaseDefinition, { cases }: Definitions, report: Report): void {
  const pending = calledBy(definition);
  const seen = new Set<string>();
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    if (key === definition.key) {
      const element = { id: definition.key, type: 'case', name: definition.name };
      report.add('CASE_TASK_RECURSION', 'The case starts itself through case tasks.', element);
      return;
    }
    if (seen.has(key)) continue;
    seen.add(key);
    const called = cases.find((candidate) => candidate.key === key);
    if (called) pending.push(...calledBy(called));
  }
}

const calledBy = (definition: CaseDefinition): string[] =>
  outlineOf(definition).definitions.flatMap((task) =>
    task.type === 'caseTask' ? (constant(task.caseRef) ?? []) : [],
  );
