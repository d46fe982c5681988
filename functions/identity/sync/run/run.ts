import type { RunStatus, SyncMode, TriggerType } from '../../domain/runs/history.ts';
import type { PagePosition } from '../../providers/provider.ts';
import type { AcceptedPlan } from './stored-plan.ts';

/** What starts an execution: a schedule, a person or events. */
export interface RunStart {
  readonly sourceId: string;
  readonly trigger: TriggerType;
  /** Of a run whose history is written already. */
  readonly batch?: string | undefined;
  readonly mode?: SyncMode | undefined;
  readonly isDryRun?: boolean | undefined;
  /** A plan that goes no further than this one passes the guard. */
  readonly acceptsRemovals?: AcceptedPlan | undefined;
  /** Whether the stored plan of the batch is applied, instead of a new one. */
  readonly isApproved?: boolean | undefined;
  readonly requestedBy?: string | undefined;
  /** Present when only users are compared whose ids are in the file `only` of the run. */
  readonly only?: { readonly removesDepartments: boolean } | undefined;
}

/** A run under way, as its execution hands it from step to step: plain data of a few hundred bytes. */
export interface Run extends RunStart {
  readonly batch: string;
  readonly owner: string;
  readonly fence: number;
  readonly mode: SyncMode;
  readonly organizationHistoryId: string;
  readonly userHistoryId: string;
  readonly snapshot: SnapshotProgress;
  /** How often the source has asked to wait since its last page. */
  readonly waits?: number | undefined;
  /** Whether no account was linked before the run: its notices are sent only with `notifyOnFirstImport`. */
  readonly isFirst?: boolean | undefined;
  /** What the source was when the run began; none of what holds a source for a moment. */
  readonly mark?: string | undefined;
  /** Of an approved plan: accounts that have changed between its making and this run are left as they are (epoch ms). */
  readonly outdated?: { readonly from: number; readonly to: number } | undefined;
}

/** How far the source was read. */
export interface SnapshotProgress {
  readonly phase: 'groups' | 'users' | 'done';
  readonly position?: PagePosition | undefined;
  readonly groupPages: number;
  readonly userPages: number;
  /** How often reading began anew because the source had changed. */
  readonly restarts: number;
  readonly hasDrifted: boolean;
  /** Whether groups are missing of which the source cannot say whether they are gone. */
  readonly hasLostGroups?: boolean | undefined;
  /** The clock of the source at the beginning (epoch ms). */
  readonly sourceTime?: number | undefined;
}

/** Why a run ends before its plan is applied. */
export interface RunEnd {
  readonly status: Exclude<RunStatus, 'PENDING' | 'SUCCESS' | 'PARTIAL'>;
  readonly reasonCode?: string | undefined;
  readonly desc?: string | undefined;
}

/**
 * What a step hands to the machine. `GO`: on with the next one; `AGAIN`: the same once more, after a wait where one is
 * named; `APPLY`: there is a plan; `STOP`: to the end; `NONE`: there was nothing to run. Outcomes are values: the local
 * cloud does not tell errors apart.
 */
export interface StepResult {
  readonly outcome: 'GO' | 'AGAIN' | 'APPLY' | 'STOP' | 'NONE';
  readonly run?: Run | undefined;
  readonly waitSeconds?: number | undefined;
  readonly end?: RunEnd | undefined;
  /** Numbers of the files with changes of accounts. */
  readonly chunks?: readonly number[] | undefined;
  /** Where the step goes on. */
  readonly at?: number | undefined;
}

export const FRESH_SNAPSHOT: SnapshotProgress = {
  ...{ phase: 'groups', groupPages: 0, userPages: 0, restarts: 0, hasDrifted: false },
};
