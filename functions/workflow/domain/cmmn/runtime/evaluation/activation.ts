import type { CriterionNode } from '../../model/case-model.ts';
import { repeatAtActivation } from '../instances/repetition.ts';
import { satisfiedCriterion } from '../rules/sentry.ts';
import type { StandardEvent } from '../run/agenda.ts';
import type { Container, LivePlanItem } from '../run/live-case.ts';
import { plan, type Run } from '../run/run.ts';

/**
 * Activates an instance whose entry criteria, if it has any, are satisfied (CMMN 1.1, 8.4).
 * @returns whether the instance keeps its container busy; copies for a collection do not (Flowable)
 */
export function activateIfEntered(
  run: Run,
  item: LivePlanItem,
  container: Container,
  event: StandardEvent | undefined,
  created: LivePlanItem[],
): boolean {
  const { entryCriteria, isEventListener } = item.planItem;
  if (isEventListener) return false;
  let criterion: CriterionNode | undefined;
  if (entryCriteria.length > 0) {
    criterion = satisfiedCriterion(run, item, entryCriteria, event);
    if (!criterion) return false;
  }
  const verdict = repeatAtActivation(run, item, container, criterion, created);
  if (verdict !== 'activate') return false;
  const cause = criterion && 'criterion';
  plan(run, { kind: 'activate', item, criterionId: criterion?.id, cause });
  return true;
}
