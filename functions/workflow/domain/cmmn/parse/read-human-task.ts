import type { ModdleElement } from 'cmmn-moddle';
import type { Expression } from '../expression/expression.ts';
import type { HumanTask } from '../model/human-task.ts';
import { type ElementReader, elementIn, isTemplate } from './element-reader.ts';
import type { TaskBasics } from './read-basics.ts';
import { readPlanningTable } from './read-planning-table.ts';

/** Human task (CMMN 1.1, 5.4) with Flowable's attributes. */
export function readHumanTask(
  element: ModdleElement,
  basics: TaskBasics,
  reader: ElementReader,
): HumanTask {
  const table = elementIn(element, 'planningTable');
  const performer = reader.reference(element, 'performerRef');
  if (performer && element.performerRef === undefined) {
    reader.problem('ROLE_REF_UNRESOLVED', `There is no role "${performer}".`, element);
  }
  const groups = readList(element, 'candidateGroups', reader);
  return {
    type: 'humanTask',
    ...basics,
    planningTable: table && readPlanningTable(table, reader),
    description:
      basics.documentation && isTemplate(basics.documentation)
        ? reader.expression(basics.documentation, 'juel', element)
        : undefined,
    assignee: reader.expressionAttribute(element, 'assignee'),
    owner: reader.expressionAttribute(element, 'owner'),
    candidateUsers: readList(element, 'candidateUsers', reader),
    candidateGroups: groups ?? (performer ? [reader.expression(performer)] : undefined),
    priority: reader.expressionAttribute(element, 'priority'),
    dueDate: reader.expressionAttribute(element, 'dueDate'),
    category: reader.expressionAttribute(element, 'category'),
    formKey: reader.expressionAttribute(element, 'formKey'),
    excludeCompletersOf: readKeys(element, 'excludeCompletersOf', reader),
    taskIdVariableName: reader.nameAttribute(element, 'taskIdVariableName'),
    taskCompleterVariableName: reader.nameAttribute(element, 'taskCompleterVariableName'),
  };
}

/** A list separated by commas; commas inside an expression do not count. */
function readList(
  element: ModdleElement,
  name: string,
  reader: ElementReader,
): readonly Expression[] | undefined {
  const text = reader.attribute(element, name);
  if (text === undefined) return undefined;
  return splitList(text).map((part) => reader.expression(part));
}

/** Keys separated by commas or spaces. */
function readKeys(
  element: ModdleElement,
  name: string,
  reader: ElementReader,
): readonly string[] | undefined {
  const keys =
    reader
      .attribute(element, name)
      ?.split(/[\s,]+/)
      .filter(Boolean) ?? [];
  return keys.length > 0 ? [...new Set(keys)] : undefined;
}

/** The parts between commas that hold anything. A bracket that is never closed opens nothing. */
function splitList(text: string): string[] {
  const parts: string[] = [];
  const lastClosing = text.lastIndexOf('}');
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ',') {
      parts.push(text.slice(start, at));
      start = at + 1;
    } else if (at < lastClosing && /[$#]\{/.test(text.slice(at, at + 2))) {
      at = text.indexOf('}', at);
    }
  }
  return [...parts, text.slice(start)].filter((part) => part.trim());
}
