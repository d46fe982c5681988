import { fitsTask, MAX_CANDIDATES, MAX_MODEL_TEXT } from '../../cmmn/basics/model-texts.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import { extensionOf } from './dialects.ts';
import type { ProcessReport } from './report.ts';
import { excludedKeys } from './user-task-rules.ts';

/** Texts of a process or sub-process that are stored with instances and tasks and sent in events. */
export function checkTexts(scope: XmlElement, report: ProcessReport): void {
  requireShort('A name', scope.attributes.name, scope, report);
  for (const child of scope.children) {
    if (child.name === 'subProcess') continue;
    requireShort('A name', child.attributes.name, child, report);
    if (child.name === 'userTask') checkUserTask(child, report);
  }
}

/** The documentation as it stands, whether or not an expression is in it. */
function checkUserTask(task: XmlElement, report: ProcessReport): void {
  const [documentation] = childrenNamed(task, 'documentation');
  requireShort('The documentation of a task', documentation?.text.trim(), task, report);
  const namesOf = (list: string): readonly string[] => (extensionOf(task, list) ?? '').split(',');
  const lists = [namesOf('candidateUsers'), namesOf('candidateGroups'), excludedKeys(task)];
  if (fitsTask(lists)) return;
  const message = `A task has at most ${MAX_CANDIDATES} candidates and excluded tasks together.`;
  report.add('ASSIGNMENT_TOO_LONG', message, task);
}

function requireShort(
  what: string,
  text: string | undefined,
  { name, attributes }: XmlElement,
  report: ProcessReport,
): void {
  if (text === undefined || text.length <= MAX_MODEL_TEXT) return;
  const shown = {
    ...attributes,
    ...(attributes.name && { name: attributes.name.slice(0, SHOWN) }),
  };
  const message = `${what} has at most ${MAX_MODEL_TEXT} characters.`;
  report.add('TEXT_TOO_LONG', message, { name, attributes: shown, children: [], text: '' });
}

/** How much of a name a problem shows. */
const SHOWN = 80;
