import type { NamedInstance, Variables } from '../cmmn/index.ts';
import type { CaseHead } from './case-facts.ts';
import type { FamilyContent } from './family.ts';
import type { HistoryEntry } from './history.ts';
import type { TaskClosing, TaskRecord } from './task-record.ts';

/** Everything that a command has changed and that is to be stored. */
export interface FamilyChange {
  /** The family itself, without cases that have ended before their parents. */
  readonly family: FamilyContent;
  /** Cases that are families of their own from now on, by their ids. */
  readonly apart: ReadonlyMap<string, FamilyContent>;
  readonly heads: readonly HeadChange[];
  readonly opened: readonly TaskRecord[];
  readonly closed: ReadonlyMap<string, TaskClosing>;
  /** Tasks that are barred, or open again. */
  readonly suspensions: ReadonlyMap<string, boolean>;
  /** Open tasks whose case is stored with another family now. */
  readonly moved: ReadonlyMap<string, string>;
  readonly ended: readonly EndedItem[];
  /** By instance and due time. */
  readonly timers: ReadonlyMap<string, TimerChange>;
  /** By instance and name of the signal. */
  readonly signals: ReadonlyMap<string, SignalChange>;
  readonly works: ReadonlyMap<string, WorkChange>;
  /** Processes that process tasks start and end, in order. */
  readonly processes: readonly ProcessCall[];
  readonly history: readonly HistoryEntry[];
  readonly announcements: readonly Announcement[];
}

/** A head that is new or different. */
export interface HeadChange {
  readonly before?: CaseHead;
  readonly after: CaseHead;
}

/** The last form of a plan item instance. */
export interface EndedItem {
  readonly caseInstanceId: string;
  readonly definitionKey: string;
  readonly definitionType: string;
  readonly instance: NamedInstance;
  readonly repetitionCounter?: number | undefined;
}

/** A timer that is due at an instant from now on, or no longer. */
export interface TimerChange {
  readonly tenantCode: string;
  /** The family that its case was stored with at the time. */
  readonly familyId: string;
  readonly caseInstanceId: string;
  readonly planItemInstanceId: string;
  readonly definitionKey: string;
  readonly name: string;
  readonly dueAt: string;
  /** When it was set, or withdrawn. */
  readonly at: string;
  readonly isScheduled: boolean;
  /** Absent: of a case. */
  readonly engine?: 'BPMN';
}

/** A listener that waits for a signal from now on, or no longer. */
export interface SignalChange {
  readonly tenantCode: string;
  readonly caseInstanceId: string;
  readonly planItemInstanceId: string;
  readonly signalName: string;
  readonly isSubscribed: boolean;
}

/** A process that a process task starts. */
export interface CalledProcess {
  readonly step: 'start';
  readonly processInstanceId: string;
  readonly processRef: string;
  readonly tenantCode: string;
  readonly caseInstanceId: string;
  readonly planItemInstanceId: string;
  /** The task waits for its end. */
  readonly isBlocking: boolean;
  readonly businessKey?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly variables: Variables;
  readonly at: string;
  readonly by?: string | undefined;
  /** Definition id of the case whose deployment comes first when the process is looked for. */
  readonly sameDeploymentAs?: string | undefined;
}

/** A process that its process task has no need of any more. */
export interface CancelledProcess {
  readonly step: 'cancel';
  readonly processInstanceId: string;
  readonly at: string;
}

export type ProcessCall = CalledProcess | CancelledProcess;

/** External work that is offered under its topic. */
export interface OfferedWork {
  readonly id: string;
  readonly tenantCode: string;
  readonly topic: string;
  readonly caseInstanceId: string;
  readonly definitionKey: string;
  readonly name: string;
  readonly variables: Variables;
  readonly createdAt: string;
  /** Nobody is given it until its task is resumed. */
  readonly isSuspended?: boolean;
}

/** External work whose task is suspended or resumed. */
export interface ListedWork {
  readonly id: string;
  readonly tenantCode: string;
  readonly topic: string;
  readonly isListed: boolean;
}

export type WorkChange = OfferedWork | ListedWork | WithdrawnWork;

/** External work that is done with. */
export interface WithdrawnWork {
  readonly id: string;
  readonly tenantCode: string;
  readonly topic: string;
  readonly isWithdrawn: true;
}

/** An event for others, with the number that it has among those of its case. */
export interface Announcement {
  readonly topic: string;
  readonly key: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Facts of one event of a case. */
export interface EventFacts {
  readonly topic: string;
  readonly caseInstanceId: string;
  readonly data: Readonly<Record<string, unknown>>;
}
