import type { Variables } from '../../basics/json.ts';
import type {
  Aggregation,
  CaseInstance,
  CaseState,
  EndedCounts,
  ParentLink,
  PlanItemInstance,
  TaskFacts,
} from '../../contract/state.ts';
import type { CaseModel, PlanItemNode } from '../../model/case-model.ts';
import type { PlanItemState } from '../../model/transition.ts';
import type { Timer } from '../../time/timer.ts';
import type { Sleep, WakeList } from './wake-list.ts';

/** A change of a variable of the case, visible until the command ends. */
export interface VariableChange {
  readonly name: string;
  readonly kind: 'create' | 'update' | 'delete';
  /** Definitions of listeners that have heard it. */
  readonly heardBy: Set<string>;
}

/** A case instance while a command runs: the tree of its plan item instances, free to be changed. */
export interface LiveCase {
  readonly isCase: true;
  readonly id: string;
  readonly model: CaseModel;
  readonly source: Omit<CaseInstance, MutableCaseField>;
  /** Top-level instances. */
  readonly children: LivePlanItem[];
  wakeList: WakeList<LivePlanItem> | undefined;
  /** All instances in order of creation, those that ended in this command too. */
  readonly planItems: LivePlanItem[];
  /** The same by plan item; undefined until first used. */
  instances: Map<PlanItemNode, LivePlanItem[]> | undefined;
  readonly changes: VariableChange[];
  familyId: string;
  parent: ParentLink | undefined;
  name: string | undefined;
  businessStatus: string | undefined;
  state: CaseState;
  completable: boolean;
  variables: Variables;
  satisfiedParts: readonly string[];
  /** What has completed in the stage instances that have been looked at or changed: the others are as stored. */
  readonly completions: Map<string, Set<string>>;
  endedCounts: Readonly<Record<string, EndedCounts>>;
  aggregations: readonly Aggregation[];
  /** The revision that the overviews of aggregations show. */
  overviewRevision: number | undefined;
  /** While overviews are brought up to date: those that cannot be read, so that none shows itself. */
  hiddenOverviews: ReadonlySet<string> | undefined;
  endedAt: string | undefined;
  reactivatedAt: string | undefined;
  isSuspendedItself: boolean | undefined;
  /** Parts of sentries with the trigger mode `onEvent`: for this command only. */
  momentaryParts: Set<string> | undefined;
  /** The stored form, while the case is unchanged. */
  stored: CaseInstance | undefined;
  /** Incremented by every change of the case. */
  revision: number;
  /** The revision at which an evaluation found nothing to do, and whether it judged completion too. */
  quiet: { revision: number; completion: boolean } | undefined;
  /** The case task that waits for the end of this case. */
  caseTask: LivePlanItem | undefined;
  /** The case task no longer waits for this case, so its end is not reported to it. */
  isDetached: boolean;
}

type MutableCaseField =
  | 'familyId'
  | 'parent'
  | 'name'
  | 'businessStatus'
  | 'state'
  | 'completable'
  | 'variables'
  | 'planItems'
  | 'satisfiedParts'
  | 'endedCounts'
  | 'aggregations'
  | 'endedAt'
  | 'reactivatedAt'
  | 'isSuspendedItself';

/** A plan item instance while a command runs. */
export interface LivePlanItem {
  readonly isCase: false;
  readonly id: string;
  readonly planItem: PlanItemNode;
  readonly caseInstance: LiveCase;
  /** The stage instance that holds it; undefined at the top level. */
  readonly stage: LivePlanItem | undefined;
  readonly children: LivePlanItem[];
  wakeList: WakeList<LivePlanItem> | undefined;
  sleep: Sleep | undefined;
  isListed: boolean;
  isFindable: boolean;
  /** Its place among the children of its container; undefined until it is attached. */
  position: number | undefined;
  readonly createdAt: string;
  name: string;
  /** Undefined until the transition `create`. */
  state: PlanItemState | undefined;
  variables: Variables | undefined;
  satisfiedParts: readonly string[] | undefined;
  completable: boolean | undefined;
  enabledAt: string | undefined;
  startedAt: string | undefined;
  endedAt: string | undefined;
  entryCriterionId: string | undefined;
  exitCriterionId: string | undefined;
  suspendedFrom: PlanItemState | undefined;
  isSuspendedItself: boolean | undefined;
  timer: Timer | undefined;
  task: TaskFacts | undefined;
  childCaseInstanceId: string | undefined;
  /** The case that a blocking case task has started; gone when it has ended in an earlier command. */
  childCase: LiveCase | undefined;
  processInstanceId: string | undefined;
  signalName: string | undefined;
  /** Variables for the case that a case task is about to start. */
  childVariables: Variables | undefined;
  /** On-parts and if-parts of sentries with the trigger mode `onEvent`: for this command only. */
  momentaryParts: Set<string> | undefined;
  /** A change of its state is planned but has not run. */
  isInFlux: boolean;
  /** The stored form, while the case is unchanged. */
  stored: PlanItemInstance | undefined;
}

/** A container of plan item instances: the case, or an instance of a stage. */
export type Container = LiveCase | LivePlanItem;

/** The instance that holds the plan item instance. */
export const containerOf = (item: LivePlanItem): Container => item.stage ?? item.caseInstance;

/** Whether the case has ended. */
export const isEnded = ({ state }: { readonly state: CaseState }): boolean =>
  state === 'completed' || state === 'terminated' || state === 'failed';

/** Whether the case is new, or the command has changed something about it. */
export const hasChanged = ({ stored }: LiveCase): boolean => stored === undefined;

/** Whether the instance is active, or would be if it were not suspended. */
export const isAtWork = ({
  state,
  suspendedFrom,
}: Pick<LivePlanItem, 'state' | 'suspendedFrom'>): boolean =>
  state === 'active' || (state === 'suspended' && suspendedFrom === 'active');
