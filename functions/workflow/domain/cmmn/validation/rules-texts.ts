import { fitsTask, MAX_CANDIDATES, MAX_MODEL_TEXT } from '../basics/model-texts.ts';
import type { ProblemElement, Report } from '../basics/problem.ts';
import { constantText } from '../expression/expression.ts';
import type { HumanTask } from '../model/human-task.ts';
import { asDefinition, asItem, type CaseOutline } from './case-outline.ts';

/** Texts of the model that hosts store with cases and tasks, and tell of in events. */
export function checkTexts(outline: CaseOutline, report: Report): void {
  const { definition: own, definitions, planItems, stages } = outline;
  const require = (what: string, text: string | undefined, element: ProblemElement): void => {
    if (text === undefined || text.length <= MAX_MODEL_TEXT) return;
    report.add('TEXT_TOO_LONG', `${what} has at most ${MAX_MODEL_TEXT} characters.`, {
      ...element,
      name: element.name?.slice(0, SHOWN),
    });
  };
  require('The name of a case', own.name, { id: own.key, type: 'case', name: own.name });
  for (const placed of planItems) require('A name', placed.item.name, asItem(placed));
  for (const element of new Set([...stages, ...definitions])) {
    require('A name', element.name, asDefinition(element));
    if (element.type !== 'humanTask') continue;
    require('The documentation of a task', documentationOf(element), asDefinition(element));
    checkCandidates(element, report);
  }
}

/** How much of a name a problem shows. */
const SHOWN = 80;

/** What an expression gives is measured when it does. */
const documentationOf = ({ description, documentation }: HumanTask): string | undefined =>
  description ? constantText(description) : documentation;

function checkCandidates(task: HumanTask, report: Report): void {
  const { candidateUsers = [], candidateGroups = [], excludeCompletersOf = [] } = task;
  const lists = [candidateUsers, candidateGroups, excludeCompletersOf];
  if (fitsTask(lists)) return;
  const message = `A task has at most ${MAX_CANDIDATES} candidates and excluded tasks together.`;
  report.add('ASSIGNMENT_TOO_LONG', message, asDefinition(task));
}
