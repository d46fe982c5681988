import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitiesConfig } from '../../../functions/entities/configuration.ts';
import type { WorkflowConfig } from '../../../functions/workflow/configuration.ts';
import { SWEEP_TASK } from '../../../functions/workflow/listeners.ts';
import { createWorkflowModule, type WorkflowModule } from '../../../functions/workflow/module.ts';
import type { ModuleContext } from '../../../shared/lambda/module-context.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';

/** What a process does with the workflow module. */
export type WorkflowRole = 'workflow-caller' | 'workflow-sweeper';

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
}

/** The callers of the module, each as a process that may be killed and begins again. */
export function workflowRoles(
  context: WorkflowContext,
  work: unknown,
): Readonly<Record<WorkflowRole, () => Promise<void>>> {
  const { keys, tasks } = work as Work;
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
  };
}

const ignore = (code: string) => (error: unknown) => {
  if (!(error instanceof Problem) || error.code !== code) throw error;
};
