import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { RecordMerging } from '../../../shared/ports/records.ts';
import type { AllOnDemand } from '../../../shared/primitives/once.ts';
import type { CaseServices } from '../cases/services.ts';
import type { WorkflowConfig } from '../configuration.ts';
import { EventSender } from '../definitions/event-sender.ts';
import { TaskWriter } from '../store/families/task-writer.ts';
import { Substitutions } from '../store/tasks/substitutions.ts';
import { TaskNotes } from '../store/tasks/task-notes.ts';
import { TaskRows } from '../store/tasks/task-rows.ts';
import { CompletionContexts, type CompletionContextsDependencies } from './completion-contexts.ts';
import { FormEntry } from './form-entry.ts';
import { HostTime } from './host-time.ts';
import { CompletedTasks } from './lists/completed-tasks.ts';
import { TaskPlanner } from './lists/task-planner.ts';
import { TaskSearch } from './lists/task-search.ts';
import { FourEyes } from './people/four-eyes.ts';
import { Substitutes } from './people/substitutes.ts';
import { TaskBulk } from './task-bulk.ts';
import { TaskCommands } from './task-commands.ts';
import { TaskCompletion, type TaskCompletionDependencies } from './task-completion.ts';
import { TaskDrafts } from './task-drafts.ts';
import { TaskEvents } from './task-events.ts';
import { TaskGuard } from './task-guard.ts';
import { TaskInterceptors } from './task-interceptors.ts';

export interface TaskServicesOptions
  extends Pick<CompletionContextsDependencies, 'runtime'>,
    Pick<TaskCompletionDependencies, 'processes'> {
  /** Business records that forms enter; absent: they stay in their cases. */
  readonly businessRecords?: BoundPort<RecordMerging> | undefined;
  /** `svc.workflow.due-soon-lead` (ms); absent: no reminders are sent. */
  readonly reminderLeadMs?: number;
  /** What the host may take for an answer (ms). */
  readonly limitMs?: number;
}

/** The services of tasks, beside those of their cases. */
export function createTaskServices(
  context: ServiceContext<WorkflowConfig>,
  cases: CaseServices,
  given: TaskServicesOptions,
) {
  const substitutes = new Substitutes({ ...context, substitutions: new Substitutions(context) });
  const hostTime = new HostTime(given.limitMs);
  const guard = new TaskGuard({ ...context, substitutes, hostTime });
  const writer = new TaskWriter({ ...context, ...cases });
  const fourEyes = new FourEyes(context);
  const taskEvents = new TaskEvents({ ...context, sender: new EventSender(context) });
  const own = { ...context, ...cases, guard, writer, fourEyes, taskEvents };
  const rows = new TaskRows(context);
  const interceptors = new TaskInterceptors({ ...context, hostTime });
  const commands = new TaskCommands({ ...own, reminderLeadMs: given.reminderLeadMs });
  const planner = new TaskPlanner({ ...own, rows });
  const completed = new CompletedTasks({ ...own, planner });
  const forms = new FormEntry(given.businessRecords);
  const { runtime, processes } = given;
  const contexts = new CompletionContexts({ ...own, runtime, processes });
  const completion = new TaskCompletion({ ...own, processes, interceptors, contexts, forms });
  return {
    ...{ commands, completion, guard, substitutes },
    bulk: new TaskBulk({ ...context, commands, completion }),
    drafts: new TaskDrafts({ ...own, forms, notes: new TaskNotes(context) }),
    search: new TaskSearch({ ...own, rows, planner, completed }),
    completed,
  };
}

/** What `createTaskServices` makes. */
export type TaskServices = ReturnType<typeof createTaskServices>;

/** The same as routes call them: their code is loaded with the first call. */
export type TaskCalls = AllOnDemand<TaskServices>;
