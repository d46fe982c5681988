import { CmmnError } from '../../basics/cmmn-error.ts';
import { jsonSize } from '../../basics/json.ts';
import { isTerminal } from '../../model/transition.ts';
import type { LiveCase } from './live-case.ts';
import type { Run } from './run.ts';

/** Cases must stay small enough to be stored and read again. @throws CmmnError `CASE_TOO_LARGE`, `VARIABLES_TOO_LARGE` */
export function requireSmall({ cases, limits, hasNewVariables }: Run): void {
  const planItems = sum(cases, openItems);
  if (planItems > limits.maxPlanItems) {
    const message = `There would be ${planItems} open plan items; ${limits.maxPlanItems} are allowed.`;
    throw new CmmnError('CASE_TOO_LARGE', message);
  }
  if (!hasNewVariables) return;
  const variables = sum(cases, variablesSize);
  if (variables <= limits.maxVariables) return;
  const message = `The variables would be ${variables} characters of JSON; ${limits.maxVariables} are allowed.`;
  throw new CmmnError('VARIABLES_TOO_LARGE', message);
}

const sum = <Each>(all: readonly Each[], measure: (each: Each) => number): number =>
  all.reduce((total, each) => total + measure(each), 0);

const openItems = ({ planItems }: LiveCase): number =>
  sum(planItems, ({ state }) => (isTerminal(state) ? 0 : 1));

const variablesSize = ({ variables, aggregations, planItems }: LiveCase): number =>
  jsonSize(variables) + jsonSize(aggregations) + sum(planItems, (item) => jsonSize(item.variables));
