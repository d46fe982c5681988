import { isEndish } from '../../model/transition.ts';
import { completedBefore } from '../run/completed-before.ts';
import type { Container, LivePlanItem } from '../run/live-case.ts';
import { wakeListOf } from '../run/live-tree.ts';
import type { Run } from '../run/run.ts';
import { uncounted } from '../run/wake-list.ts';
import { evaluate, isTrue, ruleHolds } from '../variables/expression-scope.ts';

/** How far a stage or case is from its completion (CMMN 1.1, 8.4). */
export interface Judgement {
  /** Nothing is active and nothing required is left: a person may complete it. */
  readonly isCompletable: boolean;
  /** It completes by itself. */
  readonly shouldComplete: boolean;
  /** The instance that prevents its completion. */
  readonly blockedBy?: LivePlanItem;
}

/** Whether the stage instance or case completes automatically: attribute, or Flowable's condition. */
export function isAutoComplete(run: Run, container: Container): boolean {
  const caseInstance = container.isCase ? container : container.caseInstance;
  const item = container.isCase ? undefined : container;
  const stage = container.isCase ? container.model.planModel : container.planItem.stage;
  if (!stage) return false;
  const { autoComplete, autoCompleteCondition } = stage.definition;
  if (!autoCompleteCondition) return autoComplete;
  return isTrue(evaluate(run, autoCompleteCondition, caseInstance, item));
}

/**
 * Judges a stage instance or the case that has just been evaluated: of the sleeping children only those whose own rules
 * matter are evaluated, so the time does not grow with the others.
 */
export function judgeEvaluated(
  run: Run,
  container: Container,
  isAuto: boolean,
): Pick<Judgement, 'isCompletable' | 'shouldComplete'> {
  const wakeList = wakeListOf(container);
  if (wakeList.busy > 0) return { isCompletable: false, shouldComplete: false };
  let shouldComplete = isAuto || wakeList.waits === 0;
  for (const child of uncounted(wakeList)) {
    const verdict = judgeChild(run, child, isAuto);
    if (verdict === 'blocks') return { isCompletable: false, shouldComplete: false };
    if (typeof verdict === 'object') return verdict;
    if (verdict === 'waits') shouldComplete = false;
  }
  return { isCompletable: true, shouldComplete };
}

/**
 * Judges a stage instance or the case by its children.
 * @param without an instance that does not count
 */
export function judge(
  run: Run,
  container: Container,
  isAuto: boolean,
  without?: LivePlanItem,
): Judgement {
  let shouldComplete = true;
  for (const child of container.children) {
    if (child === without) continue;
    const verdict = judgeChild(run, child, isAuto);
    if (verdict === 'blocks') {
      return { isCompletable: false, shouldComplete: false, blockedBy: child };
    }
    if (typeof verdict === 'object') return verdict;
    if (verdict === 'waits') shouldComplete = false;
  }
  return { isCompletable: true, shouldComplete };
}

/** `ignored`: no matter; `waits`: keeps the parent from completing by itself; `blocks`: keeps it open. */
type Verdict = 'ignored' | 'waits' | 'blocks' | Judgement;

function judgeChild(run: Run, child: LivePlanItem, isAuto: boolean): Verdict {
  const { state } = child;
  const { parentCompletionRule: rule, requiredRule } = child.planItem.itemControl;
  const waits: Verdict = isAuto ? 'ignored' : 'waits';
  if (isEndish(state) || rule === 'ignore') return 'ignored';
  if (state === 'active' || state === 'suspended') {
    const isIgnored = rule === 'ignoreAfterFirstCompletion' && completedBefore(child);
    return isIgnored ? 'ignored' : 'blocks';
  }
  if (ruleHolds(run, requiredRule, child.caseInstance, child)) {
    return judgeRequired(run, child, waits);
  }
  if (isIgnoredWhileIdle(run, child)) return 'ignored';
  return judgeGrandchildren(run, child, isIdle(child) ? waits : 'ignored');
}

const isIdle = ({ state }: LivePlanItem): boolean => state === 'available' || state === 'enabled';

/** Instances that have not started and that the model does not count, now or at all. */
function isIgnoredWhileIdle(run: Run, child: LivePlanItem): boolean {
  const { parentCompletionRule, completionNeutralRule } = child.planItem.itemControl;
  if (parentCompletionRule === 'ignoreIfAvailableOrEnabled' && isIdle(child)) return true;
  if (child.state === 'available') {
    if (parentCompletionRule === 'ignoreIfAvailable') return true;
    if (ruleHolds(run, completionNeutralRule, child.caseInstance, child)) return true;
  }
  return countsOnce(child) && repeatsNow(run, child) && completedBefore(child);
}

function judgeGrandchildren(run: Run, child: LivePlanItem, own: Verdict): Verdict {
  if (child.children.length === 0) return own;
  const inner = judge(run, child, isAutoComplete(run, child));
  if (!inner.isCompletable) return inner;
  return inner.shouldComplete ? own : 'waits';
}

/** Required items block, unless they repeat and have been done once already, where the model says so. */
function judgeRequired(run: Run, child: LivePlanItem, waits: Verdict): Verdict {
  if (!repeatsNow(run, child) || !completedBefore(child)) return 'blocks';
  return countsOnce(child) ? 'ignored' : waits;
}

/** Whether completing the plan item once is enough, in the state that its instance is in. */
function countsOnce(child: LivePlanItem): boolean {
  const rule = child.planItem.itemControl.parentCompletionRule;
  if (rule === 'ignoreAfterFirstCompletion') return true;
  return rule === 'ignoreAfterFirstCompletionIfAvailableOrEnabled' && isIdle(child);
}

/** Whether the repetition rule's condition holds; the number of instances does not matter here. */
function repeatsNow(run: Run, item: LivePlanItem): boolean {
  return ruleHolds(run, item.planItem.itemControl.repetitionRule, item.caseInstance, item);
}
