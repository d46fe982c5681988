import { CmmnError, type CmmnErrorDetails, shown } from '../../basics/cmmn-error.ts';
import { type DecisionResult, evaluateDecision } from '../../decision/evaluate-decision.ts';
import { countExpressionSteps } from '../run/agenda.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { type Behavior, plan, type Run } from '../run/run.ts';
import { evaluateText } from '../variables/expression-scope.ts';
import { allVariables, setVariables } from '../variables/variables.ts';

/** A decision task evaluates its decision, leaves the outputs as variables and completes (CMMN 1.1, 5.4). */
export const decisionTask: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    if (definition.type !== 'decisionTask') return;
    const key = evaluateText(run, definition.decisionRef, item.caseInstance, item) ?? '';
    const result = decide(run, item, key);
    if (result.hits === 0 && definition.throwErrorOnNoHits) {
      throw new CmmnError('DECISION_ERROR', `${named(item, key)}: no rule matches.`, of(item, key));
    }
    setVariables(run, item, result.variables);
    plan(run, { kind: 'complete', item });
  },
};

/** The result of the tenant's own decision, else of that of all. @throws CmmnError `DECISION_NOT_FOUND`, `DECISION_ERROR` */
function decide(run: Run, item: LivePlanItem, key: string): DecisionResult {
  const { definitions } = run.environment;
  const { tenantId } = item.caseInstance.source;
  const table =
    definitions.decision?.(key, tenantId) ?? (tenantId ? definitions.decision?.(key) : undefined);
  if (!table) {
    const message = `${named(item, key)}: the decision does not exist.`;
    throw new CmmnError('DECISION_NOT_FOUND', message, { ...of(item, key), tenantId });
  }
  try {
    return evaluateDecision(table, {
      variables: allVariables(run, item.caseInstance, item),
      at: run.at,
      spend: (steps) => countExpressionSteps(run.agenda, steps),
    });
  } catch (error) {
    if (error instanceof CmmnError) throw error;
    const message = `${named(item, key)}: ${(error as Error).message}`;
    throw new CmmnError('DECISION_ERROR', message, of(item, key), error);
  }
}

const named = ({ name, planItem }: LivePlanItem, key: string): string =>
  `"${name || planItem.id}", decision "${shown(key)}"`;

const of = ({ id, planItem }: LivePlanItem, key: string): CmmnErrorDetails => ({
  planItemInstanceId: id,
  elementId: planItem.id,
  reference: key,
});
