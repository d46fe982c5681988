import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { parseWith } from '../../../../shared/http/parse.ts';
import type {
  ActiveTaskQuery,
  CaseStart,
  CmmnDeployment,
  CompletedRuntimeTask,
  DeployedWorkflow,
  PlanItemTrigger,
  RuntimeCase,
  RuntimeTask,
  TaskCompletionFacts,
  WorkflowRuntimeService,
  WorkflowVariables,
} from '../../../../shared/ports/workflow-runtime.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { DoneCommand } from '../../cases/case-commands.ts';
import type { CaseServices } from '../../cases/services.ts';
import type { DeploymentService } from '../../definitions/deployment-service.ts';
import type { TaskServices } from '../../tasks/services.ts';
import { newCase, planItemAction, planItemParams, variablesBody } from '../cases/case-schemas.ts';
import { deployBody } from '../definitions/deployment-schemas.ts';
import { tasksQuery, toTaskQuery } from '../tasks/task-list-schemas.ts';
import { assignBody, completeBody } from '../tasks/task-schemas.ts';
import { toRuntimeCase, toRuntimeTask } from './runtime-views.ts';

export interface WorkflowRuntimeDependencies {
  readonly cases: Pick<
    CaseServices,
    'actions' | 'planItems' | 'reader' | 'startRights' | 'starter'
  >;
  readonly tasks: Pick<TaskServices, 'commands' | 'completion' | 'search'>;
  readonly deploymentService: Pick<DeploymentService, 'deploy'>;
  readonly config: Pick<PlatformConfig, 'web'>;
}

/** The services of the module for callers in process: what they give is checked as a request body is. */
export class WorkflowRuntime implements WorkflowRuntimeService {
  readonly #deps: WorkflowRuntimeDependencies;

  constructor(dependencies: WorkflowRuntimeDependencies) {
    this.#deps = dependencies;
  }

  async deployCmmn(deployment: CmmnDeployment, principal: Principal): Promise<DeployedWorkflow> {
    const { historyRetention: historyRetentionMs, ...request } = parseWith(
      deployBody(),
      deployment,
      'body',
    );
    const { deployed, isUnchanged } = await this.#deps.deploymentService.deploy(
      { ...request, historyRetentionMs },
      principal,
    );
    const { deploymentId, workflowCode, tenantCode, version, caseDefinitionKey } = deployed;
    const status = deployed.status === 'PUBLISHED' ? 'PUBLISHED' : 'DRAFT';
    return {
      ...{ deploymentId, workflowCode, tenantCode, version, caseDefinitionKey },
      ...{ status, isUnchanged },
    };
  }

  async startCase(start: CaseStart, principal: Principal): Promise<RuntimeCase> {
    const { startRights, starter } = this.#deps.cases;
    const wanted = parseWith(newCase(), start, 'body');
    await startRights.require(wanted, principal);
    return this.#shown(await starter.start(wanted, principal));
  }

  async completeTask(
    taskId: string,
    completion: TaskCompletionFacts,
    principal: Principal,
  ): Promise<CompletedRuntimeTask> {
    const given = parseWith(completeBody(), completion, 'body');
    const done = await this.#deps.tasks.completion.complete({ taskId, principal }, given);
    return {
      task: toRuntimeTask(done.task),
      case: done.case,
      nextTasks: done.nextTasks.map(toRuntimeTask),
    };
  }

  async triggerPlanItem(
    { caseInstanceId, planItemDefinitionKey, ...given }: PlanItemTrigger,
    principal: Principal,
  ): Promise<RuntimeCase> {
    const path = parseWith(planItemParams(), { caseInstanceId, planItemDefinitionKey }, 'body');
    const body = parseWith(planItemAction(), given, 'body');
    const done = await this.#deps.cases.planItems.give(
      {
        ...body,
        action: 'trigger',
        caseInstanceId: path.caseInstanceId,
        key: path.planItemDefinitionKey,
      },
      principal,
    );
    return this.#shown(done);
  }

  async assignTask(
    taskId: string,
    assignee: string | null,
    principal: Principal,
    { comment }: { readonly comment?: string | undefined } = {},
  ): Promise<RuntimeTask> {
    const body = parseWith(assignBody(), { assignee, comment }, 'body');
    const request = { taskId, principal, comment: body.comment };
    const { task } = await this.#deps.tasks.commands.assign(request, body.assignee);
    return toRuntimeTask(task);
  }

  async setCaseVariables(
    caseInstanceId: string,
    variables: WorkflowVariables,
    principal: Principal,
  ): Promise<RuntimeCase> {
    const body = parseWith(variablesBody(), { variables }, 'body');
    const { actions } = this.#deps.cases;
    return this.#shown(await actions.setVariables(caseInstanceId, body.variables, principal));
  }

  async listActiveTasks({ size, ...filter }: ActiveTaskQuery, principal: Principal) {
    const { tasks, config } = this.#deps;
    const asked = size === undefined ? filter : { ...filter, size: String(size) };
    const { page, size: most, cursor, ...query } = parseWith(tasksQuery(config), asked, 'body');
    const found = await tasks.search.page(toTaskQuery(query), principal, {
      ...{ page, size: most, cursor },
    });
    return {
      content: found.content.map(({ task }) => toRuntimeTask(task)),
      nextCursor: found.nextCursor,
    };
  }

  async #shown(done: DoneCommand): Promise<RuntimeCase> {
    return toRuntimeCase(await this.#deps.cases.reader.after(done));
  }
}
