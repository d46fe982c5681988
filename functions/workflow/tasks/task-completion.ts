import type { TaskCompletionContext } from '../../../shared/ports/workflow.ts';
import type { CompletedRuntimeTask } from '../../../shared/ports/workflow-runtime.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { CaseCommands, DoneCommand } from '../cases/case-commands.ts';
import { caseIn } from '../domain/cases/family.ts';
import type { FamilyChange } from '../domain/cases/family-change.ts';
import { isOpen, type TaskRecord } from '../domain/cases/task-record.ts';
import {
  type Completion,
  commandFor,
  requireNames,
  requireNoLocals,
  requireOpen,
  sayingOf,
  variablesOf,
} from '../domain/tasks/completion.ts';
import { refusalOfWork } from '../domain/tasks/task-actions.ts';
import type { TaskCaller } from '../domain/tasks/task-caller.ts';
import type { ProcessTasks } from '../processes/process-tasks.ts';
import type { TaskWriter } from '../store/families/task-writer.ts';
import type { CompletionContexts } from './completion-contexts.ts';
import {
  type Admitted,
  CompletionNotes,
  type CompletionNotesDependencies,
} from './completion-notes.ts';
import { type FormEntry, withNewestDefinition } from './form-entry.ts';
import type { TaskRequest } from './task-commands.ts';
import type { TaskGuard } from './task-guard.ts';
import { refused, requireVersion } from './task-refusals.ts';

export interface TaskCompletionDependencies extends CompletionNotesDependencies {
  readonly commands: CaseCommands;
  readonly writer: TaskWriter;
  readonly guard: TaskGuard;
  readonly contexts: CompletionContexts;
  /** Tasks of processes; absent where there are none. */
  readonly processes?: ProcessTasks | undefined;
  readonly forms: FormEntry;
}

/** What a completion has led to. */
export interface CompletedTask {
  readonly task: TaskRecord;
  readonly caller: TaskCaller;
  readonly case: CompletedRuntimeTask['case'];
  /** Tasks that have opened, as far as the caller sees them. */
  readonly nextTasks: readonly TaskRecord[];
}

/** Tasks that an answer shows. */
const MAX_SHOWN = 200;

/** Completes tasks. */
export class TaskCompletion {
  readonly #deps: TaskCompletionDependencies;
  readonly #notes: CompletionNotes;

  constructor(dependencies: TaskCompletionDependencies) {
    this.#deps = dependencies;
    this.#notes = new CompletionNotes(dependencies);
  }

  /**
   * Completes a task, enters its form into the business record and carries on its case, in one transaction. An
   * unclaimed task is claimed for the caller.
   * @throws Problem `TASK_NOT_FOUND` (404), `FORBIDDEN` (403), `TASK_NOT_ACTIVE`, `TASK_DELEGATED`, `TASK_CLAIMED_BY_OTHER`
   *   (409), `VERSION_CONFLICT` (412), `TASK_COMPLETION_REJECTED`, `COMPLETER_EXCLUDED` (422), or why the record or the engine refuses it
   */
  async complete(request: TaskRequest, given: Completion): Promise<CompletedTask> {
    const { interceptors, contexts } = this.#deps;
    requireNames(given.formData);
    const admitted = await this.#admit(request);
    const isOfProcess = admitted.task.engine === 'BPMN';
    if (isOfProcess) requireNoLocals(given);
    const context = interceptors.isNeeded
      ? await contexts.of(admitted.task, request.principal)
      : undefined;
    if (context) await interceptors.before(context, given);
    return withNewestDefinition(() =>
      isOfProcess
        ? this.#carryOutInProcess(request, given, admitted, context)
        : this.#carryOut(request, given, admitted, context),
    );
  }

  async #carryOut(
    request: TaskRequest,
    given: Completion,
    first: Admitted,
    context: TaskCompletionContext | undefined,
  ): Promise<CompletedTask> {
    const { commands, forms, fourEyes } = this.#deps;
    const { principal } = request;
    const { taskId, caseInstanceId } = first.task;
    let admitted = first;
    let isFresh = true;
    let writes = 0;
    const done = await commands.give({
      ...{ caseInstanceId, principal },
      said: { [taskId]: sayingOf(first.task, given) },
      tasks: () => [admitted.task],
      besides: () => writes,
      onBehalfOf: () => admitted.caller.onBehalfOf,
      command: async (family) => {
        if (!isFresh) admitted = await this.#admit(request);
        isFresh = false;
        requireOpen(family, admitted.task);
        // Who completes another task of the case meanwhile, changes the family that was loaded.
        await fourEyes.require(admitted.task, admitted.caller.names);
        const form = await forms.enter(admitted.task, given, principal);
        writes = form.writes;
        return commandFor(admitted, { ...given, ...form.kept });
      },
      also: (unit) => this.#notes.stage(unit, admitted, { principal, given, context }),
    });
    return this.#outcome(admitted, done, principal);
  }

  /** The same for a task of a process. */
  async #carryOutInProcess(
    request: TaskRequest,
    given: Completion,
    first: Admitted,
    context: TaskCompletionContext | undefined,
  ): Promise<CompletedTask> {
    const { forms, fourEyes } = this.#deps;
    const { principal } = request;
    const { taskId, caseInstanceId: processInstanceId } = first.task;
    const { transientVariables } = given;
    let admitted = first;
    let isFresh = true;
    const done = await this.#processes().complete({
      ...{ principal, processInstanceId, taskId },
      saying: sayingOf(first.task, given),
      onBehalfOf: () => admitted.caller.onBehalfOf,
      prepare: async () => {
        if (!isFresh) admitted = await this.#admit(request);
        isFresh = false;
        await fourEyes.require(admitted.task, admitted.caller.names);
        const form = await forms.enter(admitted.task, given, principal);
        const variables = variablesOf(admitted.task, { ...given, ...form.kept });
        return { task: admitted.task, variables, transientVariables, writes: form.writes };
      },
      also: (unit) => this.#notes.stage(unit, admitted, { principal, given, context }),
    });
    const { state } = done.head;
    const about = {
      caseInstanceId: processInstanceId,
      state: state === 'waiting' ? 'active' : state,
    };
    return this.#shown(admitted, done.change.rows, about, principal);
  }

  #processes(): ProcessTasks {
    const { processes } = this.#deps;
    if (!processes) throw new Error('Processes are switched off');
    return processes;
  }

  async #admit({ taskId, principal, ifMatch }: TaskRequest): Promise<Admitted> {
    const { writer, guard } = this.#deps;
    const admitted = await guard.admit('complete', await writer.read(taskId), taskId, principal);
    requireVersion(admitted.task, ifMatch);
    const refusal = refusalOfWork(admitted.task, admitted.caller);
    if (refusal) throw refused(refusal, admitted.task);
    return admitted;
  }

  #outcome(
    admitted: Admitted,
    { change, family, caseInstanceId }: DoneCommand,
    principal: Principal,
  ): Promise<CompletedTask> {
    const { state = 'completed', businessStatus } = caseIn(family, caseInstanceId) ?? {};
    const about = { caseInstanceId, state, businessStatus };
    return this.#shown(admitted, change, about, principal);
  }

  async #shown(
    { task, caller }: Admitted,
    change: Pick<FamilyChange, 'opened' | 'closed'>,
    about: CompletedTask['case'],
    principal: Principal,
  ): Promise<CompletedTask> {
    const open = change.opened.filter(isOpen).slice(0, MAX_SHOWN);
    const nextTasks = await this.#deps.guard.following(open, principal, caller);
    const closing = change.closed.get(task.taskId);
    return {
      task: { ...task, ...closing, version: task.version + 1 },
      caller,
      case: about,
      nextTasks,
    };
  }
}
