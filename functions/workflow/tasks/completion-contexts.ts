import type { TaskCaseFacts, TaskCompletionContext } from '../../../shared/ports/workflow.ts';
import type { WorkflowRuntimeService } from '../../../shared/ports/workflow-runtime.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { requireVisible } from '../cases/visibility.ts';
import { headOf } from '../domain/cases/case-facts.ts';
import { caseIn } from '../domain/cases/family.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import { problems } from '../errors.ts';
import type { ProcessTasks } from '../processes/process-tasks.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import { toFacts } from './task-guard.ts';

export interface CompletionContextsDependencies {
  readonly families: FamilyStore;
  /** Tasks of processes; absent where there are none. */
  readonly processes?: Pick<ProcessTasks, 'contextOf'> | undefined;
  /** What interceptors are handed. */
  readonly runtime: () => WorkflowRuntimeService;
}

/** What interceptors receive about a completed task. */
export class CompletionContexts {
  readonly #deps: CompletionContextsDependencies;

  constructor(dependencies: CompletionContextsDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `TASK_NOT_ACTIVE` (409) when its case or process has ended */
  async of(task: TaskRecord, principal: Principal): Promise<TaskCompletionContext> {
    const id = task.caseInstanceId;
    if (task.engine === 'BPMN') {
      const { processes } = this.#deps;
      if (!processes) throw new Error('Processes are switched off');
      const found = await processes.contextOf(id);
      if (!found) throw problems.taskNotActive({ taskId: task.taskId, status: 'ended' });
      return this.#context(task, found, principal);
    }
    const family = requireVisible(await this.#deps.families.load(id), id, principal);
    const [instance, facts] = [caseIn(family, id), family.facts[id]];
    if (!instance || !facts) throw problems.taskNotActive({ taskId: task.taskId, status: 'ended' });
    const { familyId: _, deploymentId: _deployment, ...head } = headOf(instance, facts, id);
    return this.#context(task, { ...head, variables: instance.variables }, principal);
  }

  #context(task: TaskRecord, around: TaskCaseFacts, principal: Principal): TaskCompletionContext {
    return {
      task: toFacts(task),
      case: around,
      principal,
      traceId: requestContext().traceId,
      runtime: this.#deps.runtime(),
    };
  }
}
