import type { JsonValue, Variables } from '../../cmmn/basics/json.ts';
import type { TaskFacts } from '../../cmmn/contract/state.ts';

/** Major version of the engine whose states these are; it does not promise to read those of another. */
export const ENGINE_VERSION = 17;

/** What a waiting activity waits for. */
export type WaitKind = 'task' | 'timer' | 'message' | 'signal';

/** An activity that waits. */
export interface Wait {
  /** Id for others; of a user task that of its task. */
  readonly id: string;
  readonly kind: WaitKind;
  readonly activityId: string;
  /** The engine's own name of this execution. */
  readonly executionId: string;
  /** Of a message or signal. */
  readonly name?: string;
  /** Of a timer. */
  readonly dueAt?: string;
}

/** A process instance as it is stored. */
export interface ProcessState {
  readonly formatVersion: 1;
  readonly engineVersion: typeof ENGINE_VERSION;
  readonly variables: Variables;
  readonly waits: readonly Wait[];
  /** The engine's own; absent once the process has ended. */
  readonly engine?: JsonValue;
}

/** The facts of a task that a user task opens. */
export interface OpenedTask extends TaskFacts {
  readonly name: string;
}

/** Something that a command has done, in order. */
export type ProcessStep =
  | {
      readonly type: 'activityStarted' | 'activityCompleted' | 'activityDiscarded';
      readonly activityId: string;
    }
  | { readonly type: 'flowTaken'; readonly flowId: string }
  | {
      readonly type: 'serviceRequested';
      readonly activityId: string;
      readonly service: string;
      readonly payload: Variables;
    }
  | {
      readonly type: 'variableChanged';
      readonly name: string;
      readonly value?: JsonValue;
      readonly oldValue?: JsonValue;
    };
