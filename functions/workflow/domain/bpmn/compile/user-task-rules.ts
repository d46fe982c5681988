import { shown } from '../../cmmn/basics/cmmn-error.ts';
import type { XmlElement } from '../../cmmn/xml/xml-tree.ts';
import { extensionOf } from './dialects.ts';
import type { ProcessReport } from './report.ts';
import type { Scope } from './scope.ts';

/** Checks who may work on the tasks of a user task. */
export function checkUserTask(task: XmlElement, scope: Scope, report: ProcessReport): void {
  const names = ['assignee', 'candidateUsers', 'candidateGroups'];
  if (!names.some((name) => extensionOf(task, name) !== undefined)) {
    const message =
      'The task has neither assignee nor candidates: only who may assign tasks sees it.';
    report.add('USER_TASK_UNASSIGNABLE', message, task, 'WARNING');
  }
  for (const key of excludedKeys(task)) {
    if (isUserTask(outermost(scope).element, key)) continue;
    const message = `excludeCompletersOf names "${shown(key)}", which is no user task of the process.`;
    report.add('EXCLUDED_TASK_UNRESOLVED', message, task);
  }
}

/** Keys of the tasks whose completers may not work on this one: separated by commas or blanks. */
export const excludedKeys = (task: XmlElement): readonly string[] => [
  ...new Set((extensionOf(task, 'excludeCompletersOf') ?? '').split(/[\s,]+/).filter(Boolean)),
];

const outermost = (scope: Scope): Scope => (scope.parent ? outermost(scope.parent) : scope);

const isUserTask = ({ children }: XmlElement, key: string): boolean =>
  children.some(
    (child) =>
      (child.name === 'userTask' && child.attributes.id === key) ||
      (child.name === 'subProcess' && isUserTask(child, key)),
  );
