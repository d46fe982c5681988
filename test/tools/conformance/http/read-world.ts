import type { Variables } from '../../../../functions/workflow/domain/cmmn/index.ts';
import type { Step } from '../scenario.ts';
import type { SeenCase, SeenPlanItem, SeenWorld } from '../seen.ts';
import type { Caller, TenantApi } from './tenant-api.ts';

interface PlanItemBody {
  readonly id: string;
  readonly planItemDefinitionKey: string;
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly completable?: boolean;
  readonly localVariables?: Variables;
  readonly dueAt?: string;
}

interface CaseBody {
  readonly caseInstanceId: string;
  readonly caseDefinitionKey: string;
  readonly state: string;
  readonly startedAt: string;
  readonly completable: boolean;
  readonly businessStatus?: string;
  readonly variables: Variables;
  readonly planItems: readonly PlanItemBody[];
  readonly tasks: readonly TaskBody[];
  readonly milestones: readonly { readonly name: string }[];
  readonly truncated: boolean;
}

interface TaskBody {
  readonly taskId: string;
  readonly assignee?: string;
  readonly candidateUsers: readonly string[];
  readonly candidateGroups: readonly string[];
}

/** What of a world somebody asks for. */
interface Wanted {
  /** Other cases than the one that the scenario has started. */
  readonly others: boolean;
  /** Plan items that have ended. */
  readonly ended: boolean;
}

/** What a step asks for by its selector, and what its expectations ask for. */
export const wantedBy = (step: Pick<Step, 'case' | 'expect'>): Wanted => {
  const keys = JSON.stringify(step.expect ?? {});
  return {
    others: step.case !== undefined || /"(?:childCases|openCases|finishedCases)":/.test(keys),
    ended: /"(?:all\w+|stateNames)":/.test(keys),
  };
};

/** Reads the cases of a tenant; the first is the one that the scenario has started. */
export async function readWorld(
  api: TenantApi,
  rootId: string,
  wanted: Wanted,
  caller: Caller,
): Promise<SeenWorld> {
  const heads = wanted.others ? await api.all<CaseBody>('/cases', caller) : [];
  const others = heads
    .map(({ caseInstanceId }) => caseInstanceId)
    .filter((id) => id !== rootId)
    // The list is by start, newest first; ids are made in order.
    .sort();
  const cases = await Promise.all(
    [rootId, ...others].map((id) => readCase(api, id, wanted.ended, caller)),
  );
  const [root] = cases;
  if (!root) throw new Error('no case has been started');
  return { cases, root };
}

async function readCase(
  api: TenantApi,
  id: string,
  withEnded: boolean,
  caller: Caller,
): Promise<SeenCase> {
  const path = `/cases/${id}`;
  const [body, ended] = await Promise.all([
    api.get<CaseBody>(path, caller),
    withEnded ? api.all<PlanItemBody>(`${path}/plan-items?ended=true`, caller) : [],
  ]);
  const live = body.truncated
    ? await api.all<PlanItemBody>(`${path}/plan-items`, caller)
    : body.planItems;
  const tasks = new Map(body.tasks.map((task) => [task.taskId, task]));
  return {
    instance: { ...body, id, definitionKey: body.caseDefinitionKey },
    live: live.map((item) => toSeen(item, tasks)),
    ended: ended.map((item) => toSeen(item, tasks)),
    milestones: body.milestones.map(({ name }) => name),
  };
}

function toSeen(item: PlanItemBody, tasks: ReadonlyMap<string, TaskBody>): SeenPlanItem {
  const { id, name, state, completable, localVariables, dueAt } = item;
  const task = tasks.get(id);
  return {
    definitionKey: item.planItemDefinitionKey,
    definitionType: item.type,
    instance: {
      ...{ id, name, state },
      ...(completable !== undefined && { completable }),
      ...(localVariables && { variables: localVariables }),
      ...(dueAt !== undefined && { timer: { dueAt } }),
      ...(task && { task }),
    },
  };
}
