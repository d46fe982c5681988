import type { ProblemItem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { DirectoryUser } from '../domain/directory/directory.ts';
import type { DepartmentCounts, PlanCounts } from '../domain/plan/operations.ts';
import type { ActionType, FieldChange, ObjectType, SyncMode } from '../domain/runs/history.ts';
import type {
  BasicConfig,
  IdentitySource,
  JobConfig,
  StrategyConfig,
} from '../domain/sources/source.ts';
import type { Check } from '../http/checks.ts';

/** How a run is asked for. */
export interface RunRequest {
  readonly mode?: SyncMode | undefined;
  /** Whether only the plan is made. */
  readonly dryRun?: boolean | undefined;
  /** Batch of a suspended run whose removals are accepted. */
  readonly acceptDeletions?: string | undefined;
  /** Ids at the source of the users that are compared; none: all. */
  readonly externalIds?: readonly string[] | undefined;
}

/** A run that was started. */
export interface StartedRun {
  readonly batch: string;
  readonly organizationHistoryId: string;
  readonly userHistoryId: string;
}

/** The schedule that a job configuration means. */
export interface SourceSchedule {
  /** As EventBridge Scheduler takes them. */
  readonly expressions: readonly string[];
  readonly timezone: string;
  /** The next three instants. */
  readonly nextRuns: readonly string[];
}

/** What a run is going to do. */
export interface PlannedChanges {
  readonly users: Omit<PlanCounts, 'renamed' | 'missingActive'>;
  readonly organization: DepartmentCounts;
}

/** What a validation found; nothing that the source answered is in it. */
export interface ValidationReport {
  readonly valid: boolean;
  readonly checks: readonly Check[];
  readonly capabilities: {
    readonly authMode?: string | undefined;
    readonly filter?: boolean | undefined;
    readonly maxResults?: number | undefined;
    readonly cursorPaging?: boolean | undefined;
    readonly sort?: boolean | undefined;
    readonly userCount?: number | undefined;
    readonly groupCount?: number | undefined;
    readonly nestedGroups?: boolean | undefined;
  };
}

/** One object of a source, looked at again. */
export interface ObjectHint {
  readonly objectType: ObjectType;
  readonly externalId: string;
}

/** What became of a hint. `BUSY`: a run holds the source; ask again later. */
export interface HintOutcome {
  readonly status: 'SUCCESS' | 'SKIP' | 'FAIL' | 'BUSY';
  readonly actionType?: ActionType | undefined;
  readonly objectId?: string | undefined;
  readonly objectName?: string | undefined;
  readonly desc: string;
  /** Whether only a run of everything can do the rest. */
  readonly needsRun?: boolean | undefined;
}

/** A user of a source that is looked for. */
export type WantedUser = { readonly externalId: string } | { readonly userName: string };

/** A user of a source as a configuration makes an account of it. */
export interface PreviewedUser {
  readonly externalId: string;
  /** Why it becomes no account. */
  readonly refused?: string | undefined;
  /** Whether the scope of the configuration takes it. */
  readonly isInScope: boolean;
  /** None of a user that is refused. */
  readonly user?: DirectoryUser | undefined;
  /** Names of its groups that are departments. */
  readonly departments: readonly string[];
  /** The account that is linked with it, and what would change. */
  readonly account?: { readonly id: string; readonly changes: readonly FieldChange[] } | undefined;
}

/** A configuration that is tried on one user. */
export interface PreviewCall {
  /** The source that it is for, where there is one. */
  readonly sourceId?: string | undefined;
  readonly basicConfig: BasicConfig;
  readonly strategyConfig: StrategyConfig;
  readonly wanted: WantedUser;
}

/** What became of an account that was to be made at a source. */
export interface ProvisionedAccount {
  readonly userId: string;
  readonly status: 'SUCCESS' | 'SKIP' | 'FAIL';
  /** Id at the source. */
  readonly externalId?: string | undefined;
  /** Whether the source did not have the user. */
  readonly isNew?: boolean | undefined;
  readonly reasonCode?: string | undefined;
  readonly desc?: string | undefined;
}

/** What routes and events ask of the synchronisation. */
export interface SourceSync {
  /** @throws Problem `SYNC_IN_PROGRESS`, `SOURCE_DISABLED`, `NOT_CONFIGURED` (409) */
  execute(source: IdentitySource, request: RunRequest, principal: Principal): Promise<StartedRun>;
  /** Applies the reviewed plan. @throws Problem `RUN_STATE` (409) */
  approve(batch: string, principal: Principal): Promise<StartedRun>;
  /**
   * Starts a run of what has failed in another one.
   * @throws Problem `SYNC_RUN_NOT_FOUND` (404), `RUN_STATE`, `NOTHING_FAILED` (409), and those of `execute`
   */
  retry(batch: string, principal: Principal): Promise<StartedRun>;
  /** @throws Problem `RUN_STATE` (409) */
  cancel(batch: string, principal: Principal): Promise<void>;
  /** Puts the schedule in place and notes how that went; a failure is noted, never thrown. */
  register(source: IdentitySource): Promise<void>;
  /** Takes the schedule away, and ends a run at its next checkpoint. */
  deregister(source: IdentitySource): Promise<void>;
  /** @throws Problem `SYNC_IN_PROGRESS` (409) while a run holds the source */
  demandFree(source: IdentitySource): Promise<void>;
  validate(config: {
    readonly basicConfig: BasicConfig;
    readonly strategyConfig: StrategyConfig;
    readonly jobConfig: JobConfig;
  }): Promise<ValidationReport>;
  /** @returns `undefined` when the source has no such user. @throws Problem `SOURCE_UNREADABLE` (422) */
  preview(call: PreviewCall): Promise<PreviewedUser | undefined>;
  /** @returns the schedule, or what is wrong with the configuration, with pointers below it. */
  schedule(
    jobConfig: JobConfig,
  ):
    | { readonly schedule: SourceSchedule | undefined }
    | { readonly errors: readonly ProblemItem[] };
  /** Closes a run of a source whose execution has died. @returns whether it had */
  closeDead(sourceId: string, batch: string): Promise<boolean>;
  /** The plan of a run, as long as it is stored. */
  planned(sourceId: string, batch: string): Promise<PlannedChanges | undefined>;
  /** Keeps a text of a run for some days. @returns a link to it that works for some minutes */
  share(
    run: { readonly sourceId: string; readonly batch: string },
    fileName: string,
    text: string,
    contentType: string,
  ): Promise<string>;
  /** Reads one object of the source and applies what differs. */
  applyOne(source: IdentitySource, hint: ObjectHint): Promise<HintOutcome>;
  /**
   * Makes users at the source of accounts that it does not know.
   * @throws Problem `NOT_CONFIGURED`, `SOURCE_DISABLED`, `SYNC_IN_PROGRESS` (409)
   */
  provision(
    source: IdentitySource,
    userIds: readonly string[],
  ): Promise<readonly ProvisionedAccount[]>;
  /** Starts a run because of events. @throws Problem `SYNC_IN_PROGRESS` (409) */
  runForEvents(source: IdentitySource, mode: SyncMode): Promise<void>;
}
