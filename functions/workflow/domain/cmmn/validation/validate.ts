import { createReport, type Problem, type Report, type SourceLocation } from '../basics/problem.ts';
import type { Definitions } from '../model/case-definition.ts';
import type { CmmnDocument } from '../xml/read-xml.ts';
import { outlineOf } from './case-outline.ts';
import type { ValidationContext } from './context.ts';
import { checkCallingTasks } from './rules-calling-tasks.ts';
import { checkCaseRecursion, recursiveCases } from './rules-case-recursion.ts';
import { checkCriteria } from './rules-criteria.ts';
import { checkExpressions } from './rules-expressions.ts';
import { checkHumanTasks } from './rules-human-tasks.ts';
import { checkListeners } from './rules-listeners.ts';
import { checkOnParts } from './rules-on-parts.ts';
import { checkPlanItems } from './rules-plan-items.ts';
import { checkReachability } from './rules-reachability.ts';
import { checkRepetition } from './rules-repetition.ts';
import { checkTexts } from './rules-texts.ts';
import { checkVariableNames } from './rules-variable-names.ts';

const MAX_KEY_LENGTH = 255;
const NC_NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/** Checks the cases of a document by all rules; what the reader has found already comes on top. */
export function validateDefinitions(
  definitions: Definitions,
  document: CmmnDocument,
  locate: (id: string) => SourceLocation | undefined,
  context: ValidationContext,
): Problem[] {
  const report = createReport(locate);
  checkDocument(definitions, document, report);
  const reports = [report];
  const ownCases = new Set(definitions.cases.map(({ key }) => key));
  const recursive = recursiveCases(definitions);
  for (const definition of definitions.cases) {
    const outline = outlineOf(definition);
    const ofCase = createReport(locate, definition.key);
    checkPlanItems(outline, ofCase);
    checkCriteria(outline, ofCase);
    checkOnParts(outline, ofCase);
    checkReachability(outline, ofCase);
    checkRepetition(outline, ofCase);
    checkListeners(outline, ofCase);
    checkHumanTasks(outline, ofCase);
    checkTexts(outline, ofCase);
    checkCallingTasks(outline, ownCases, context, ofCase);
    checkCaseRecursion(definition, recursive, ofCase);
    checkExpressions(outline, ofCase);
    checkVariableNames(outline, ofCase);
    reports.push(ofCase);
  }
  return reports.flatMap(({ problems }) => problems);
}

function checkDocument({ cases }: Definitions, document: CmmnDocument, report: Report): void {
  const elements = (document.root.cases as readonly unknown[] | undefined) ?? [];
  if (elements.length === 0) report.add('NO_CASE', 'The document holds no case.');
  if (!document.root.CMMNDI) report.add('DI_MISSING', 'The document holds no diagram.');
  for (const { key, name } of cases) {
    if (NC_NAME.test(key) && key.length <= MAX_KEY_LENGTH) continue;
    const message = `The id of a case must be an XML name of at most ${MAX_KEY_LENGTH} characters.`;
    report.add('CASE_KEY_INVALID', message, { id: key, type: 'case', name });
  }
}
