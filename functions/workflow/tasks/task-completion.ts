import type { TaskCaseFacts, TaskCompletionContext } from '../../../shared/ports/workflow.ts';
import type {
  CompletedRuntimeTask,
  TaskCompletionFacts,
  WorkflowRuntimeService,
} from '../../../shared/ports/workflow-runtime.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { CaseCommands, DoneCommand } from '../cases/case-commands.ts';
import { requireVisible } from '../cases/visibility.ts';
import { headOf } from '../domain/cases/case-facts.ts';
import { caseIn, type FamilyContent } from '../domain/cases/family.ts';
import type { FamilyChange } from '../domain/cases/family-change.ts';
import { outcomeVariable } from '../domain/cases/outcome.ts';
import { isOpen, type TaskRecord, type TaskSaying } from '../domain/cases/task-record.ts';
import { isReservedName } from '../domain/cmmn/expression/known-names.ts';
import type { Command, Variables } from '../domain/cmmn/index.ts';
import { refusalOfWork, returned } from '../domain/tasks/task-actions.ts';
import { concerns, type TaskCaller } from '../domain/tasks/task-caller.ts';
import { factsFor } from '../domain/tasks/task-differences.ts';
import { problems } from '../errors.ts';
import type { ProcessTasks } from '../processes/process-tasks.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import type { TaskWriter } from '../store/families/task-writer.ts';
import { draftKey } from '../store/task-keys.ts';
import { commentItem, type TaskAct, taskHistoryItem } from '../store/tasks/task-notes.ts';
import { type FormEntry, withNewestDefinition } from './form-entry.ts';
import type { FourEyes } from './people/four-eyes.ts';
import type { TaskRequest } from './task-commands.ts';
import type { TaskEvents } from './task-events.ts';
import { type TaskGuard, toFacts } from './task-guard.ts';
import type { TaskInterceptors } from './task-interceptors.ts';
import { refused, requireVersion } from './task-refusals.ts';

export interface TaskCompletionDependencies {
  readonly commands: CaseCommands;
  readonly families: FamilyStore;
  readonly writer: TaskWriter;
  readonly guard: TaskGuard;
  readonly interceptors: TaskInterceptors;
  /** Tasks of processes; absent where there are none. */
  readonly processes?: ProcessTasks | undefined;
  readonly forms: FormEntry;
  readonly fourEyes: FourEyes;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly told: TaskEvents;
  /** What interceptors are handed. */
  readonly runtime: () => WorkflowRuntimeService;
}

/** What comes with a completion. */
export interface Completion extends TaskCompletionFacts {
  readonly formData?: Variables | undefined;
  readonly variables?: Variables | undefined;
  readonly localVariables?: Variables | undefined;
  readonly transientVariables?: Variables | undefined;
}

/** What a completion has led to. */
export interface CompletedTask {
  readonly task: TaskRecord;
  readonly caller: TaskCaller;
  readonly case: CompletedRuntimeTask['case'];
  /** Tasks that have opened, as far as the caller sees them. */
  readonly nextTasks: readonly TaskRecord[];
}

type Admitted = { readonly task: TaskRecord; readonly caller: TaskCaller };

/** Completes tasks. */
export class TaskCompletion {
  readonly #deps: TaskCompletionDependencies;

  constructor(dependencies: TaskCompletionDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Completes a task, enters its form into the business record and carries on its case, in one transaction. A task that
   * nobody has claimed is the caller's by that.
   * @throws Problem `TASK_NOT_FOUND` (404), `FORBIDDEN` (403), `TASK_NOT_ACTIVE`, `TASK_DELEGATED`, `TASK_CLAIMED_BY_OTHER`
   *   (409), `VERSION_CONFLICT` (412), `TASK_COMPLETION_REJECTED`, `COMPLETER_EXCLUDED` (422), or why the record or the engine refuses it
   */
  async complete(request: TaskRequest, given: Completion): Promise<CompletedTask> {
    const { interceptors } = this.#deps;
    requireNames(given.formData);
    const admitted = await this.#admit(request);
    const context = interceptors.isNeeded
      ? await this.#contextOf(admitted.task, request.principal)
      : undefined;
    if (context) await interceptors.before(context, given);
    const isOfProcess = admitted.task.engine === 'BPMN';
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
    const { commands, interceptors, forms, fourEyes } = this.#deps;
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
        const form = await forms.enter(admitted.task, given.formData, principal);
        writes = form.writes;
        return commandFor(admitted, { ...given, formData: form.kept });
      },
      also: async (unit) => {
        this.#stageNotes(unit, admitted, principal, given);
        fourEyes.note(unit, admitted.task, admitted.caller.names);
        await this.#tellReturned(admitted.task, principal);
        if (context) unit.afterCommit(() => interceptors.after(context, given));
      },
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
    const { interceptors, forms } = this.#deps;
    const { principal } = request;
    let admitted = first;
    let isFresh = true;
    const done = await this.#processes().complete({
      ...{ principal, processInstanceId: first.task.caseInstanceId },
      saying: sayingOf(first.task, given),
      prepare: async () => {
        if (!isFresh) admitted = await this.#admit(request);
        isFresh = false;
        const form = await forms.enter(admitted.task, given.formData, principal);
        const own = variablesOf(admitted.task, { ...given, formData: form.kept });
        const variables = { ...own, ...given.localVariables };
        return { task: admitted.task, variables, writes: form.writes };
      },
      also: async (unit) => {
        this.#stageNotes(unit, admitted, principal, given);
        if (context) unit.afterCommit(() => interceptors.after(context, given));
      },
    });
    const { processInstanceId: caseInstanceId, state } = done.head;
    const about = { caseInstanceId, state: state === 'waiting' ? 'active' : state };
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

  async #contextOf(task: TaskRecord, principal: Principal): Promise<TaskCompletionContext> {
    const id = task.caseInstanceId;
    if (task.engine === 'BPMN') {
      const found = await this.#processes().contextOf(id);
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

  /** What the history of the task tells, and the comment; a draft has served its purpose. */
  #stageNotes(
    unit: UnitOfWork,
    { task: { taskId, status, hasDraft }, caller: { onBehalfOf } }: Admitted,
    { id: by }: Principal,
    { outcome, comment }: Completion,
  ): void {
    const { ids, clock } = this.#deps;
    const at = toInstant(clock.now());
    const tell = (act: TaskAct): void => unit.put(taskHistoryItem(taskId, ids(), act, []));
    if (status === 'DELEGATED') tell({ action: 'resolve', at, by, onBehalfOf });
    tell({ action: 'complete', at, by, outcome, comment, onBehalfOf });
    if (comment !== undefined) unit.put(commentItem(taskId, { id: ids(), text: comment, at, by }));
    if (hasDraft) unit.delete(draftKey(taskId));
  }

  /** Who completes a delegated task has given it back by that. */
  async #tellReturned(task: TaskRecord, { id }: Principal): Promise<void> {
    if (task.status !== 'DELEGATED') return;
    const back = { ...returned(task), version: task.version + 1 };
    await this.#deps.told.tell('resolve', back, id, task);
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
    const seesAll = open.length > 0 && (await this.#deps.guard.seesAll(principal));
    const groups = seesAll ? [] : await this.#groupsOf(open, principal);
    const nextTasks = open.filter((next) => seesAll || concerns(next, { ...caller, groups }));
    const closing = change.closed.get(task.taskId);
    return {
      task: { ...task, ...closing, version: task.version + 1 },
      caller,
      case: about,
      nextTasks,
    };
  }

  #groupsOf(tasks: readonly TaskRecord[], principal: Principal): Promise<readonly string[]> {
    const groups = new Set(tasks.flatMap(({ candidateGroups }) => candidateGroups));
    return this.#deps.guard.groupsAmong([...groups], principal);
  }
}

const MAX_SHOWN = 200;

function sayingOf({ status }: TaskRecord, { outcome }: Completion): TaskSaying {
  return {
    ...(outcome !== undefined && { outcome }),
    ...(status === 'DELEGATED' && { delegationState: 'RESOLVED' as const }),
  };
}

/** @throws Problem `VARIABLE_INVALID` (400) for a field that expressions could not read */
function requireNames(formData: Variables = {}): void {
  const errors = Object.keys(formData)
    .filter(isReservedName)
    .map((name) => ({
      pointer: `/formData/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      code: 'VARIABLE_NAME_RESERVED',
      detail: 'is a name that expressions have for something else',
    }));
  if (errors.length === 0) return;
  throw problems.variableInvalid({ told: 'A field has a name that is taken.' }, { errors });
}

/** A task may have ended with its case although its own item does not say so yet. */
function requireOpen(family: FamilyContent, task: TaskRecord): void {
  const items = caseIn(family, task.caseInstanceId)?.planItems ?? [];
  if (items.some(({ id }) => id === task.taskId)) return;
  throw problems.taskNotActive({ taskId: task.taskId, status: 'ended' });
}

/** What becomes of a completion in its case or process. */
function variablesOf(
  { taskDefinitionKey }: TaskRecord,
  { formData, variables, outcome }: Completion,
): Variables {
  return { ...formData, ...outcomeVariable(taskDefinitionKey, outcome), ...variables };
}

function commandFor({ task, caller }: Admitted, given: Completion): Command {
  const { taskId, assignee } = task;
  const { localVariables, transientVariables } = given;
  return {
    type: 'completeTask',
    planItemInstanceId: taskId,
    variables: variablesOf(task, given),
    localVariables,
    transientVariables,
    ...(assignee === undefined && {
      tasks: { [taskId]: { ...factsFor(task), assignee: caller.id } },
    }),
  };
}
