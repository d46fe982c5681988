import { CmmnError } from '../cmmn-error.ts';
import { evaluateDecision } from '../decision/evaluate-decision.ts';
import { evaluateText } from '../runtime/expression-scope.ts';
import { type Behavior, plan } from '../runtime/run.ts';
import { allVariables, setVariables } from '../runtime/variables.ts';

/** A decision task evaluates its decision, leaves the outputs as variables and completes (CMMN 1.1, 5.4). */
export const decisionTask: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    const { caseInstance } = item;
    if (definition.type !== 'decisionTask') return;
    const key = evaluateText(run, definition.decisionRef, caseInstance, item) ?? '';
    const { definitions } = run.environment;
    const { tenantId } = caseInstance.source;
    const table =
      definitions.decision?.(key, tenantId) ?? (tenantId ? definitions.decision?.(key) : undefined);
    if (!table) {
      const message = `There is no decision "${key}".`;
      throw new CmmnError('DECISION_NOT_FOUND', message, {
        planItemInstanceId: item.id,
        reference: key,
      });
    }
    const variables = allVariables(run, caseInstance, item);
    const result = evaluateDecision(table, { variables, at: run.at });
    if (result.hits === 0 && definition.throwErrorOnNoHits) {
      const message = `Decision "${key}": no rule matches.`;
      throw new CmmnError('DECISION_ERROR', message, {
        planItemInstanceId: item.id,
        reference: key,
      });
    }
    setVariables(run, item, result.variables);
    plan(run, { kind: 'complete', item });
  },
};
