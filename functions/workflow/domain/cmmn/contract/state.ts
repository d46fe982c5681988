import type { Variables } from '../basics/json.ts';
import type { PlanItemState } from '../model/transition.ts';
import type { Timer } from '../time/timer.ts';

/** Version of the form below; `readState` accepts this one and every earlier one. */
export const STATE_FORMAT_VERSION = 1;

/** States of a case instance (CMMN 1.1, 8.4). */
export type CaseState = 'active' | 'suspended' | 'completed' | 'terminated' | 'failed';

/**
 * All the engine keeps between two commands: the cases of one family. Plain JSON. Ended plan item instances are
 * not in it: they leave as effects, so a case costs no more the longer it runs.
 */
export interface EngineState {
  readonly formatVersion: typeof STATE_FORMAT_VERSION;
  /** Cases that a command has ended are in its result, and gone from the next one; but for the root. */
  readonly cases: readonly CaseInstance[];
}

/** The instance of a case task that started a case. */
export interface ParentLink {
  readonly caseInstanceId: string;
  readonly planItemInstanceId: string;
  /** The case task waits for the end of the case, so the two are in one family. */
  readonly isWaiting: boolean;
}

/** A case instance (CMMN 1.1, 8.4). */
export interface CaseInstance {
  /** Of this case: a host may store each case of a family on its own. */
  readonly formatVersion: typeof STATE_FORMAT_VERSION;
  readonly id: string;
  /** Id of the root of the family: the case that no other waits for and that started all others. */
  readonly familyId: string;
  readonly definitionId: string;
  readonly definitionKey: string;
  readonly tenantId?: string;
  readonly name?: string;
  readonly businessKey?: string;
  readonly businessStatus?: string;
  readonly state: CaseState;
  /** Nothing is active and nothing required is left: a person may complete the case. */
  readonly completable: boolean;
  readonly variables: Variables;
  /** Live instances in order of their creation. */
  readonly planItems: readonly PlanItemInstance[];
  /** Satisfied parts of the plan model's exit criteria and of items that have no instance yet. */
  readonly satisfiedParts: readonly string[];
  /** The case task that has started this case. */
  readonly parent?: ParentLink;
  /** Case tasks above this case, blocking or not. */
  readonly depth?: number;
  /** Plan items with a completed instance, by stage instance ('' = the case itself). */
  readonly completedBefore: Readonly<Record<string, readonly string[]>>;
  /** How many instances of a plan item have ended, and how. */
  readonly endedCounts: Readonly<Record<string, EndedCounts>>;
  /** What variable aggregations have collected. */
  readonly aggregations?: readonly Aggregation[];
  readonly startedBy?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** When the case was last reactivated: from then on, reactivation rules hold for every stage that starts. */
  readonly reactivatedAt?: string;
  /** Somebody has suspended this very case: it does not resume with its parent. */
  readonly isSuspendedItself?: boolean;
}

/** What a variable aggregation has collected of the instances of one repetition. */
export interface Aggregation {
  readonly planItemId: string;
  /** The stage instance that holds the instances; absent: the case. */
  readonly stageInstanceId?: string;
  /** Which aggregation of the repetition rule. */
  readonly index: number;
  /** The variable that the list is for. */
  readonly target: string;
  /** One for each completed instance, with its repetition counter. */
  readonly entries: readonly { readonly counter: number; readonly value: Variables }[];
}

/** How many instances of a plan item have ended in which state. */
export interface EndedCounts {
  readonly completed?: number;
  readonly terminated?: number;
  readonly failed?: number;
}

/** An instance of a plan item (CMMN 1.1, 8.4). */
export interface PlanItemInstance {
  readonly id: string;
  readonly planItemId: string;
  /** Absent: the name that the model gives as a constant text. */
  readonly name?: string;
  readonly state: PlanItemState;
  readonly stageInstanceId?: string;
  readonly variables?: Variables;
  /** Satisfied on-parts and if-parts of the sentries that this instance owns. */
  readonly satisfiedParts?: readonly string[];
  /** Of an active stage: a person may complete it. */
  readonly completable?: boolean;
  readonly createdAt: string;
  readonly enabledAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly entryCriterionId?: string;
  readonly exitCriterionId?: string;
  /** The state to which `resume` returns. */
  readonly suspendedFrom?: PlanItemState;
  /** Somebody has suspended this very instance: it does not resume with what is around it. */
  readonly isSuspendedItself?: boolean;
  readonly timer?: Timer;
  readonly task?: StoredTask;
  /** The case that an active case task has started. */
  readonly childCaseInstanceId?: string;
  /** The process that a process task has asked for and that has not ended. */
  readonly processInstanceId?: string;
  /** The signals that a listener waits for. */
  readonly signalName?: string;
}

/** An instance with its name, wherever that comes from. */
export type NamedInstance = PlanItemInstance & { readonly name: string };

/** What is known of an open task besides its name; that of a human task instance has the id of the instance. */
export interface TaskFacts {
  readonly description?: string;
  readonly assignee?: string;
  readonly owner?: string;
  readonly candidateUsers: readonly string[];
  readonly candidateGroups: readonly string[];
  readonly priority: number;
  readonly dueDate?: string;
  readonly category?: string;
  readonly formKey?: string;
}

/**
 * The stored part of an open task: only facts that are not constant texts of its definition; null: no value, although
 * the definition has one.
 */
export type StoredTask = {
  readonly [Fact in keyof TaskFacts]?: NonNullable<TaskFacts[Fact]> | null;
};
