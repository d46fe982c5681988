import type { ProcessState } from '../bpmn/index.ts';
import { firstOf, type NextTimers, type WaitingTimer } from '../cases/next-timers.ts';
import type { ProcessHead } from './process-head.ts';

interface Instance {
  readonly head: Pick<ProcessHead, 'processInstanceId' | 'tenantCode' | 'state'>;
  readonly state: Pick<ProcessState, 'waits'>;
}

/** The timers that an instance waits for; none while it is suspended. */
export const timersOfProcess = ({ head, state }: Instance): WaitingTimer[] => {
  const { processInstanceId: familyId, tenantCode } = head;
  if (head.state !== 'waiting') return [];
  return state.waits.flatMap(({ id: planItemInstanceId, kind, dueAt }) =>
    kind === 'timer' && dueAt !== undefined
      ? [{ familyId, tenantCode, planItemInstanceId, dueAt }]
      : [],
  );
};

/** How a command moves the next due time of an instance. */
export function nextTimersOfProcess(before: Instance | undefined, after: Instance): NextTimers {
  const was = before && firstOf(timersOfProcess(before));
  const own = firstOf(timersOfProcess(after));
  if (was?.dueAt === own?.dueAt) return { set: [], dropped: [] };
  return { set: own ? [own] : [], dropped: was ? [was] : [] };
}
