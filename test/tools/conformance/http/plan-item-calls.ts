import type { Step } from '../scenario.ts';
import type { SeenPlanItem } from '../seen.ts';
import type { Caller, TenantApi } from './tenant-api.ts';

/** A step for one instance of a plan item. */
interface PlanItemStep {
  readonly caseId: string;
  readonly item: SeenPlanItem;
  readonly step: Step;
  readonly caller: Caller;
}

/** The calls behind the operations on plan items, by the names of the operations. */
export type PlanItemCalls = Readonly<Record<string, (given: PlanItemStep) => Promise<unknown>>>;

const WORKER = 'conformance';

export function planItemCalls(api: TenantApi, topics: readonly string[]): PlanItemCalls {
  const leased = new Set<string>();

  const act =
    (verb: string) =>
    ({ caseId, item, step, caller }: PlanItemStep): Promise<unknown> => {
      const { variables, localVariables, transientVariables, childVariables, force } = step;
      return api.post(
        `/cases/${caseId}/plan-items/${encodeURIComponent(item.definitionKey)}:${verb}`,
        {
          planItemInstanceId: item.instance.id,
          ...{ variables, localVariables, transientVariables },
          ...(verb === 'start' && { childVariables }),
          ...(verb === 'complete' && { force }),
        },
        caller,
      );
    };

  const completeTask = ({ item, step, caller }: PlanItemStep): Promise<unknown> => {
    const { variables, localVariables, transientVariables } = step;
    // Nobody but its assignee completes a task.
    const user = item.instance.task?.assignee ?? caller.user;
    return api.post(
      `/tasks/${item.instance.id}:complete`,
      { variables, localVariables, transientVariables },
      { ...caller, user },
    );
  };

  /** What a trigger means: a task is completed as one, a listener occurs, and no enabled item starts. */
  const trigger = (given: PlanItemStep): Promise<unknown> => {
    const { definitionType, instance } = given.item;
    if (definitionType === 'humanTask' && instance.state === 'active') return completeTask(given);
    return act(definitionType.endsWith('Listener') ? 'trigger' : 'complete')(given);
  };

  const onWork =
    (verb: string) =>
    async ({ item, step, caller }: PlanItemStep): Promise<void> => {
      for (const topic of leased.has(item.instance.id) ? [] : topics) {
        const body = { topic, workerId: WORKER, max: 50 };
        const { works } = await api.post<{ readonly works: readonly { readonly id: string }[] }>(
          '/external-work:fetch',
          body,
          caller,
        );
        for (const { id } of works) leased.add(id);
      }
      const more = verb === 'fail' ? { retries: 0 } : { variables: step.variables };
      await api.post(
        `/external-work/${item.instance.id}:${verb}`,
        { workerId: WORKER, ...more },
        caller,
      );
    };

  return {
    completeTask,
    trigger,
    enable: act('enable'),
    disable: act('disable'),
    startPlanItem: act('start'),
    terminatePlanItem: act('terminate'),
    completeStage: act('complete'),
    suspendPlanItem: act('suspend'),
    resumePlanItem: act('resume'),
    completeExternalWork: onWork('complete'),
    failExternalWork: onWork('fail'),
  };
}
