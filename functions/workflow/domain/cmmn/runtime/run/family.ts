import { CmmnError } from '../../basics/cmmn-error.ts';
import type { CaseInstance, PlanItemInstance } from '../../contract/state.ts';
import { isEnded, type LiveCase, type LivePlanItem } from './live-case.ts';
import { touchCase } from './live-tree.ts';

/**
 * Ids of the cases that a stored case depends on: the one whose case task waits for it, and those that its
 * own case tasks wait for. All cases connected by these links are the family, stored under `familyId`.
 */
export function linkedCases({ parent, state, planItems }: CaseInstance): readonly string[] {
  const up = parent?.isWaiting && !isEnded({ state }) ? [parent.caseInstanceId] : [];
  return [
    ...up,
    ...planItems.flatMap(({ childCaseInstanceId: id }) => (id === undefined ? [] : [id])),
  ];
}

/** The root of a family: the case that its id names. One that has ended can come alone, to be reactivated. */
export function rootOf(cases: readonly CaseInstance[]): CaseInstance | undefined {
  const [first] = cases;
  return (
    cases.find(({ id, familyId }) => id === familyId) ?? (cases.length === 1 ? first : undefined)
  );
}

/**
 * Proves that the cases are one family, and all of it: a child whose parent is missing would end alone, a parent
 * whose child is missing would wait for ever.
 * @throws CmmnError `FAMILY_INCOMPLETE`, `STATE_INVALID`
 */
export function requireFamily(cases: readonly CaseInstance[]): void {
  const [first] = cases;
  const root = rootOf(cases);
  if (!first) throw new CmmnError('STATE_INVALID', 'A state without a case.');
  if (!root) throw incomplete(first, first.familyId);
  const byId = new Map(cases.map((candidate) => [candidate.id, candidate]));
  if (byId.size < cases.length) throw broken(first, 'a case is in the state twice');
  const reached = reachableFrom(root, byId);
  for (const candidate of cases) {
    if (candidate.familyId !== root.familyId) throw broken(candidate, 'it is of another family');
    const { parent } = candidate;
    if (isEnded(candidate) || reached.has(candidate)) continue;
    if (parent?.isWaiting && !byId.has(parent.caseInstanceId)) {
      throw incomplete(candidate, parent.caseInstanceId);
    }
    throw broken(candidate, 'no case task waits for it');
  }
  requireUniqueItems(cases);
}

/** The cases that the root waits for, directly or not, and the root. */
function reachableFrom(
  root: CaseInstance,
  byId: ReadonlyMap<string, CaseInstance>,
): ReadonlySet<CaseInstance> {
  if (root.parent?.isWaiting && !isEnded(root)) throw incomplete(root, root.parent.caseInstanceId);
  const reached = new Set([root]);
  for (const above of reached) {
    for (const item of above.planItems) {
      if (item.childCaseInstanceId === undefined) continue;
      const child = byId.get(item.childCaseInstanceId);
      if (!child) throw incomplete(above, item.childCaseInstanceId);
      if (!isAwaited(child, above, item)) {
        throw broken(child, `the case task "${item.id}" does not wait for it`);
      }
      reached.add(child);
    }
  }
  return reached;
}

function isAwaited(child: CaseInstance, above: CaseInstance, item: PlanItemInstance): boolean {
  const { parent } = child;
  const isFromHere = parent?.caseInstanceId === above.id && parent.planItemInstanceId === item.id;
  return isFromHere && parent.isWaiting && !isEnded(child);
}

function requireUniqueItems(cases: readonly CaseInstance[]): void {
  const seen = new Set<string>();
  for (const candidate of cases) {
    for (const { id } of candidate.planItems) {
      if (seen.has(id)) throw broken(candidate, `the instance "${id}" is there twice`);
      seen.add(id);
    }
  }
}

const incomplete = ({ id, familyId }: CaseInstance, missing: string): CmmnError =>
  new CmmnError(
    'FAMILY_INCOMPLETE',
    `The case "${id}" cannot be worked on without the case "${missing}".`,
    { caseInstanceId: missing, reference: familyId },
  );

const broken = ({ id }: CaseInstance, why: string): CmmnError =>
  new CmmnError('STATE_INVALID', `The case "${id}" does not belong to this state: ${why}.`, {
    caseInstanceId: id,
  });

/** Ties each case to the case task that waits for it. */
export function linkFamily(cases: readonly LiveCase[]): void {
  if (cases.length === 1) return;
  const byId = new Map(cases.map((live) => [live.id, live]));
  for (const { planItems } of cases) {
    for (const item of planItems) {
      const child = byId.get(item.childCaseInstanceId ?? '');
      if (child) linkChild(item, child);
    }
  }
}

/** Ties a case to the case task that waits for it. */
export function linkChild(item: LivePlanItem, child: LiveCase): void {
  item.childCase = child;
  child.caseTask = item;
}

/** The case task instance that waits for the case, as long as it does. */
export const waitingCaseTask = ({ parent, caseTask }: LiveCase): LivePlanItem | undefined =>
  parent?.isWaiting ? caseTask : undefined;

/**
 * Updates the family of each case. A case that no other waits for, because its case task does not block or
 * because it was reactivated, is the root of a family of its own.
 */
export function settleFamilies(cases: readonly LiveCase[], root: LiveCase | undefined): void {
  for (const live of cases) {
    if (live !== root && isEnded(live)) continue;
    let top = live;
    for (let above = waitingCaseTask(top); above; above = waitingCaseTask(top)) {
      top = above.caseInstance;
    }
    moveTo(live, top.id, top !== live);
  }
}

/** No case waits for a reactivated one: it is a family of its own. */
export const standAlone = (live: LiveCase): void => moveTo(live, live.id, false);

function moveTo(live: LiveCase, familyId: string, isWaiting: boolean): void {
  if (live.familyId === familyId && (live.parent?.isWaiting ?? false) === isWaiting) return;
  live.familyId = familyId;
  if (live.parent) live.parent = { ...live.parent, isWaiting };
  touchCase(live);
}
