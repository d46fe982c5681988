import type { FamilyContent } from './family.ts';
import type { FamilyChange } from './family-change.ts';

/** When the first timer of a family is due. */
export interface NextTimer {
  readonly familyId: string;
  readonly tenantCode: string;
  readonly dueAt: string;
}

/** Due times that a family waits for from now on, and those that it waits for no longer. */
export interface NextTimers {
  readonly set: readonly NextTimer[];
  readonly dropped: readonly NextTimer[];
}

/** A timer that a case waits for. */
export interface WaitingTimer extends NextTimer {
  readonly planItemInstanceId: string;
}

/** The timers that a family waits for, of all its cases that go on. */
export const waitingTimers = ({ state, facts }: FamilyContent): WaitingTimer[] =>
  state.cases
    .filter((each) => each.state === 'active')
    .flatMap(({ id, familyId, planItems }) =>
      planItems.flatMap((item) => {
        const { dueAt } = item.state === 'available' ? (item.timer ?? {}) : {};
        const tenantCode = facts[id]?.tenantCode ?? '';
        return dueAt ? [{ familyId, tenantCode, planItemInstanceId: item.id, dueAt }] : [];
      }),
    );

/** The timer that is due first. */
export function firstOf(timers: readonly WaitingTimer[]): NextTimer | undefined {
  let first: NextTimer | undefined;
  for (const timer of timers) {
    if (!first || timer.dueAt < first.dueAt) first = timer;
  }
  return first;
}

const nextTimerOf = (family: FamilyContent): NextTimer | undefined =>
  firstOf(waitingTimers(family));

/** How a change moves the next due time of its family, and of those that it has parted. */
export function nextTimers(
  before: FamilyContent | undefined,
  { family, apart, timers }: Pick<FamilyChange, 'family' | 'apart' | 'timers'>,
): NextTimers {
  if (timers.size === 0 && apart.size === 0) return { set: [], dropped: [] };
  const was = before && nextTimerOf(before);
  const own = nextTimerOf(family);
  const isSame = was?.dueAt === own?.dueAt;
  const parted = [...apart.values()].flatMap((part) => nextTimerOf(part) ?? []);
  return {
    set: own && !isSame ? [own, ...parted] : parted,
    dropped: was && !isSame ? [was] : [],
  };
}
