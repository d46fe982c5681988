import type { CaseInstances, ShownInstance } from '../../cases/case-progress.ts';

const ENDED: readonly string[] = ['completed', 'terminated', 'failed'];

/** Maps the instances of a case to what has become of each plan item. */
export function toProgress({ head, instances, isTruncated }: CaseInstances) {
  const { caseInstanceId, workflowCode, definitionVersion, name, businessKey } = head;
  const { businessStatus, state, startedBy, startedAt, endedAt } = head;
  const byItem = Map.groupBy(instances, ({ planItemId }) => planItemId);
  return {
    ...{ caseInstanceId, workflowCode, definitionVersion, name, businessKey },
    ...{ businessStatus, state, startedBy, startedAt, endedAt },
    planItems: [...byItem].map(([planItemId, all]) => ({
      planItemId,
      states: countsOf(all),
      latest: toInstance(latestOf(all)),
    })),
    truncated: isTruncated,
  };
}

/** Maps an instance to its answer. */
export const toInstance = ({ planItemId: _, ...instance }: ShownInstance) => {
  const { id, name, state, stageInstanceId, createdAt, startedAt, endedAt } = instance;
  const { dueAt, taskId, childCaseInstanceId } = instance;
  return {
    ...{ id, name, state, stageInstanceId, createdAt, startedAt, endedAt },
    ...{ dueAt, taskId, childCaseInstanceId },
  };
};

function countsOf(instances: readonly ShownInstance[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of instances) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** A spare instance of a repetition comes last: it says least. */
function latestOf(instances: readonly ShownInstance[]): ShownInstance {
  const rank = ({ state }: ShownInstance): number =>
    ENDED.includes(state) ? 1 : state === 'wait_repetition' ? 0 : 2;
  return instances.reduce((best, each) => {
    const isLater = rank(each) === rank(best) && each.createdAt >= best.createdAt;
    return rank(each) > rank(best) || isLater ? each : best;
  });
}
