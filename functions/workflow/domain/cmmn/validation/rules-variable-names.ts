import type { ProblemElement, Report } from '../basics/problem.ts';
import { isReservedName } from '../expression/known-names.ts';
import { asDefinition, asItem, type CaseOutline } from './case-outline.ts';

/** Members of a compiled model that name a variable which the engine is to set. */
const NAMES: ReadonlySet<string> = new Set([
  'counterVariable',
  'elementVariable',
  'elementIndexVariable',
  'idVariableName',
  'initiatorVariableName',
  'milestoneVariable',
  'resultVariableName',
  'target',
  'taskCompleterVariableName',
  'taskIdVariableName',
]);

/** Variables that a model sets must have names that a variable can have. */
export function checkVariableNames(outline: CaseOutline, report: Report): void {
  const { key, name, initiatorVariableName } = outline.definition;
  visit({ initiatorVariableName }, { id: key, type: 'case', name }, report);
  for (const placed of outline.planItems) visit(placed.item, asItem(placed), report);
  for (const definition of outline.definitions) {
    const { type } = definition;
    const own = type === 'stage' ? definition.defaultControl : definition;
    visit(own, asDefinition(definition), report);
  }
}

function visit(value: unknown, element: ProblemElement, report: Report): void {
  if (value === null || typeof value !== 'object') return;
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof member === 'object') visit(member, element, report);
    if (typeof member !== 'string' || !NAMES.has(key) || !isReservedName(member)) continue;
    report.add('VARIABLE_NAME_RESERVED', `A variable cannot be called "${member}".`, element);
  }
}
