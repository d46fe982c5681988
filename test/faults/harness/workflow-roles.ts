import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitiesConfig } from '../../../functions/entities/configuration.ts';
import type { WorkflowConfig } from '../../../functions/workflow/configuration.ts';
import { SWEEP_TASK } from '../../../functions/workflow/listeners.ts';
import { createWorkflowModule, type WorkflowModule } from '../../../functions/workflow/module.ts';
import type { ModuleContext } from '../../../shared/lambda/module-context.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';

/** What a process does with the workflow module. */
export type WorkflowRole = 'workflow-caller' | 'workflow-sweeper' | 'workflow-worker';

/** Code of the workflow whose cases are run, and the task that keeps each of them open. */
export const WORKFLOW = 'kills';
export const LAST_TASK = 'stay';

export type WorkflowContext = ModuleContext<WorkflowConfig & EntitiesConfig>;

/** The module for a host that lets everybody work on tasks. */
export const workflowModule = (context: WorkflowContext): WorkflowModule =>
  createWorkflowModule({
    ...context,
    host: { ...context.host, workflowTaskAuthorizationService: { isAllowed: () => true } },
  });

/** The id of the case with a business key. */
export async function caseOf(
  { services }: WorkflowModule,
  businessKey: string,
): Promise<string | undefined> {
  const { content } = await services.cases.list.page({ businessKey, tenantCode: '' }, { size: 2 });
  if (content.length > 1) throw new Error(`There are two cases ${businessKey}`);
  return content[0]?.caseInstanceId;
}

interface Work {
  /** Business keys of the cases. */
  readonly keys: readonly string[];
  /** Tasks of each. */
  readonly tasks: number;
  /** Who takes up external work. */
  readonly workerId: string;
}

/** Topic of the external work, and the shortest lease that a worker may ask for (ms). */
export const WORK_TOPIC = 'rating';
const LEASE_MS = 1_000;
/** Share of the work that a worker dawdles over until its lease is over. */
const DAWDLING = 0.3;

/** The callers of the module, each as a process that may be killed and begins again. */
export function workflowRoles(
  context: WorkflowContext,
  work: unknown,
  random: () => number,
): Readonly<Record<WorkflowRole, () => Promise<void>>> {
  const { keys, tasks, workerId } = work as Work;
  return {
    /** Starts each case unless it is there, and completes its tasks but for the last one. */
    async 'workflow-caller'() {
      const module = workflowModule(context);
      const { starter, reader } = module.services.cases;
      for (const businessKey of keys) {
        const variables = { all: Array.from({ length: tasks }, (_, at) => at) };
        const wanted = { workflowCode: WORKFLOW, businessKey, variables };
        await starter.start(wanted, systemPrincipal).catch(ignore('CASE_EXISTS'));
        const id = (await caseOf(module, businessKey)) ?? '';
        const { content } = await reader.openTasks(id, systemPrincipal, { size: 200 });
        for (const { taskId, taskDefinitionKey } of content) {
          if (taskDefinitionKey !== 'each') continue;
          await module.services.tasks.completion
            .complete({ taskId, principal: systemPrincipal }, { outcome: 'done' })
            .catch(ignore('TASK_NOT_ACTIVE'));
        }
      }
    },

    /** Sweeps without a pause to speak of, until it is stopped. */
    async 'workflow-sweeper'() {
      const sweep = workflowModule(context).tasks?.[SWEEP_TASK];
      for (;;) {
        await sweep?.({});
        await sleep(100);
      }
    },

    /** Takes up work until it is stopped, and dawdles; notes each that somebody else had by then. */
    async 'workflow-worker'() {
      const { works } = workflowModule(context).services.cases;
      const request = { topic: WORK_TOPIC, workerId, max: 3, leaseMs: LEASE_MS };
      for (;;) {
        for (const { id } of await works.fetch(request, systemPrincipal)) {
          faultPoint('worker.leased');
          if (random() < DAWDLING) await sleep(LEASE_MS * 1.5);
          const done = { workerId, variables: { [`by_${id.replaceAll('-', '')}`]: workerId } };
          await works.complete(id, done, systemPrincipal).catch(noteLost(context, id));
        }
        await sleep(50);
      }
    },
  };
}

const LOST: readonly string[] = ['LEASE_LOST', 'EXTERNAL_WORK_NOT_FOUND'];

const noteLost = (context: WorkflowContext, id: string) => async (error: unknown) => {
  if (!(error instanceof Problem) || !LOST.includes(error.code)) throw error;
  await context.unitOfWork(async (unit) =>
    unit.update(
      { pk: `HOST#lost#${id}`, sk: 'lost' },
      { expression: 'ADD times :one', values: { ':one': 1 } },
    ),
  );
};

const ignore = (code: string) => (error: unknown) => {
  if (!(error instanceof Problem) || error.code !== code) throw error;
};
