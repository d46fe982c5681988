import type { Expression } from '../../expression/expression.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { emit, type Run } from '../run/run.ts';
import { evaluateText } from '../variables/expression-scope.ts';

/** Gives the case the business status of a stage or milestone; one that comes out empty changes nothing. */
export function setBusinessStatus(
  run: Run,
  item: LivePlanItem,
  expression: Expression | undefined,
): void {
  const { caseInstance } = item;
  const businessStatus = evaluateText(run, expression, caseInstance, item);
  if (businessStatus === undefined) return;
  const oldBusinessStatus = caseInstance.businessStatus;
  caseInstance.businessStatus = businessStatus;
  emit(run, caseInstance, { type: 'businessStatusChanged', businessStatus, oldBusinessStatus });
}
