import type { Principal } from '../../../shared/security/principal.ts';
import type { ProcessCommand, Wait } from '../domain/bpmn/index.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';
import type { StoredProcess } from '../store/processes/process-store.ts';
import type { ProcessCommands } from './process-commands.ts';
import type { DoneProcessCommand } from './process-staging.ts';

/** What goes on: an activity, or what waits for a signal. */
export interface ProcessSignal {
  readonly activityId?: string | undefined;
  readonly signalName?: string | undefined;
  /** Where several executions wait for the same. */
  readonly executionId?: string | undefined;
  readonly payload?: Variables | undefined;
}

export interface ProcessMessage {
  readonly messageName: string;
  readonly executionId?: string | undefined;
  readonly payload?: Variables | undefined;
}

/** Signals, messages and variables of instances. */
export class ProcessActions {
  readonly #commands: ProcessCommands;

  constructor({ commands }: { readonly commands: ProcessCommands }) {
    this.#commands = commands;
  }

  setVariables(
    id: string,
    variables: Variables,
    principal: Principal,
  ): Promise<DoneProcessCommand> {
    const command: ProcessCommand = { type: 'setVariables', variables };
    const recorded = { type: command.type };
    return this.#commands.give({
      processInstanceId: id,
      principal,
      recorded,
      command: () => command,
    });
  }

  /**
   * Lets what waits for a signal go on, or an activity that waits for a message or signal.
   * @throws Problem `ACTIVITY_NOT_WAITING`, `AMBIGUOUS_ACTIVITY`, `USE_TASK_API`, `PROCESS_NOT_ACTIVE` (409)
   */
  signal(id: string, signal: ProcessSignal, principal: Principal): Promise<DoneProcessCommand> {
    const { activityId, signalName, executionId, payload } = signal;
    const recorded = { type: 'signal', activityId, signalName, executionId };
    const isMeant = (wait: Wait): boolean =>
      (activityId === undefined || wait.activityId === activityId) &&
      (signalName === undefined || (wait.kind === 'signal' && wait.name === signalName));
    const what = activityId ?? signalName ?? '';
    return this.#continue(id, { recorded, isMeant, executionId, payload, what }, principal);
  }

  /** @throws Problem `ACTIVITY_NOT_WAITING`, `AMBIGUOUS_ACTIVITY`, `PROCESS_NOT_ACTIVE` (409) */
  message(id: string, message: ProcessMessage, principal: Principal): Promise<DoneProcessCommand> {
    const { messageName, executionId, payload } = message;
    const recorded = { type: 'message', messageName, executionId };
    const isMeant = ({ kind, name }: Wait): boolean => kind === 'message' && name === messageName;
    return this.#continue(
      id,
      { recorded, isMeant, executionId, payload, what: messageName },
      principal,
    );
  }

  #continue(
    processInstanceId: string,
    { recorded, isMeant, executionId, payload: variables, what }: Meant,
    principal: Principal,
  ): Promise<DoneProcessCommand> {
    const command = ({ head, state }: StoredProcess): ProcessCommand => {
      if (head.state !== 'waiting') {
        throw problems.processNotActive({ id: processInstanceId, state: head.state });
      }
      const meant = state.waits.filter(
        (wait) => isMeant(wait) && (executionId === undefined || wait.id === executionId),
      );
      const tasks = meant.filter(({ kind }) => kind === 'task');
      if (tasks.length > 0) throw problems.useTaskApi({ taskIds: tasks.map(({ id }) => id) });
      return { type: 'continue', waitId: onlyOne(meant, what).id, variables };
    };
    return this.#commands.give({ processInstanceId, principal, recorded, command });
  }
}

interface Meant {
  readonly recorded: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly isMeant: (wait: Wait) => boolean;
  readonly executionId: string | undefined;
  readonly payload: Variables | undefined;
  readonly what: string;
}

function onlyOne(waits: readonly Wait[], what: string): Wait {
  const [first, ...others] = waits.filter(({ kind }) => kind !== 'timer');
  if (!first) throw problems.activityNotWaiting({ reason: `Nothing waits for ${what} now.` });
  if (others.length === 0) return first;
  const executionIds = [first, ...others].map(({ id }) => id);
  throw problems.ambiguousActivity(
    { reason: `Several executions wait for ${what}; name one by executionId.` },
    { extensions: { executionIds } },
  );
}
