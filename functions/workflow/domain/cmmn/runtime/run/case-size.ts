import { CmmnError } from '../../basics/cmmn-error.ts';
import { jsonSize } from '../../basics/json.ts';
import type { PlanItemInstance, StoredTask } from '../../contract/state.ts';
import { isTerminal } from '../../model/transition.ts';
import type { LiveCase, LivePlanItem } from './live-case.ts';
import type { Run } from './run.ts';
import { storePlanItem } from './stored-case.ts';

/** Cases must stay small enough to be stored and read again. @throws CmmnError `CASE_TOO_LARGE`, `VARIABLES_TOO_LARGE` */
export function requireSmall({ cases, limits, hasNewVariables, hasNewTexts }: Run): void {
  const planItems = sum(cases, openItems);
  if (planItems > limits.maxPlanItems) {
    const message = `There would be ${planItems} open plan items; ${limits.maxPlanItems} are allowed.`;
    throw new CmmnError('CASE_TOO_LARGE', message);
  }
  const texts = hasNewTexts ? sum(cases, textsSize) : 0;
  if (texts > limits.maxCaseTexts) {
    const message = `The names, statuses and facts of tasks would be ${texts} characters; ${limits.maxCaseTexts} are allowed.`;
    throw new CmmnError('CASE_TOO_LARGE', message);
  }
  const variables = hasNewVariables ? sum(cases, variablesSize) : 0;
  if (variables <= limits.maxVariables) return;
  const message = `The variables would be ${variables} characters of JSON; ${limits.maxVariables} are allowed.`;
  throw new CmmnError('VARIABLES_TOO_LARGE', message);
}

const sum = <Each>(all: readonly Each[], measure: (each: Each) => number): number =>
  all.reduce((total, each) => total + measure(each), 0);

const isOpen = ({ state }: LivePlanItem): boolean => !isTerminal(state);

const openItems = ({ planItems }: LiveCase): number =>
  sum(planItems, (item) => (isOpen(item) ? 1 : 0));

const variablesSize = ({ variables, aggregations, planItems }: LiveCase): number =>
  jsonSize(variables) + jsonSize(aggregations) + sum(planItems, (item) => jsonSize(item.variables));

/** Constant texts of the model are not stored with the instances, so they do not count. */
const textsSize = ({ name, businessStatus, source, planItems }: LiveCase): number =>
  sum([name, businessStatus, source.businessKey], textSize) +
  sum(planItems, (item) => (isOpen(item) ? itemTextsSize(storePlanItem(item)) : 0));

const itemTextsSize = ({ name, signalName, task }: PlanItemInstance): number =>
  textSize(name) + textSize(signalName) + (task ? sum(Object.values(task), textSize) : 0);

const textSize = (text: StoredTask[keyof StoredTask]): number =>
  typeof text === 'object' && text
    ? sum(text, textSize)
    : typeof text === 'string'
      ? text.length
      : 0;
