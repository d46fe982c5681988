import type { Effect } from '../cmmn/index.ts';
import type { CaseFacts } from './case-facts.ts';
import type {
  EndedItem,
  FamilyChange,
  ProcessCall,
  SignalChange,
  TimerChange,
  WorkChange,
} from './family-change.ts';

type Rows = Pick<FamilyChange, 'ended' | 'timers' | 'signals' | 'works' | 'processes'> & {
  readonly topics: ReadonlyMap<string, string>;
};

interface Collected {
  readonly ended: EndedItem[];
  readonly timers: Map<string, TimerChange>;
  readonly signals: Map<string, SignalChange>;
  readonly works: Map<string, WorkChange>;
  readonly topics: Map<string, string>;
  readonly processes: ProcessCall[];
}

/** Rows that a command writes and deletes: of two effects about the same row the later one counts. */
export function rowChanges(
  effects: readonly Effect[],
  facts: ReadonlyMap<string, CaseFacts>,
  topics: Readonly<Record<string, string>>,
  familyOf: (caseInstanceId: string) => string,
): Rows {
  const rows: Collected = {
    ended: [],
    timers: new Map(),
    signals: new Map(),
    works: new Map(),
    topics: new Map(Object.entries(topics)),
    processes: [],
  };
  for (const effect of effects) {
    const { caseInstanceId } = effect;
    const tenantCode = facts.get(caseInstanceId)?.tenantCode ?? '';
    collect(rows, effect, { tenantCode, familyId: familyOf(caseInstanceId) });
    const call = callIn(effect, facts.get(caseInstanceId));
    if (call) rows.processes.push(call);
  }
  nameMilestones(rows, effects);
  return rows;
}

/** The name that a milestone was reached under may be that of its definition. */
function nameMilestones({ ended }: Collected, effects: readonly Effect[]): void {
  const names = new Map(
    effects.flatMap((effect) =>
      effect.type === 'milestoneReached' ? [[effect.planItemInstanceId, effect.name]] : [],
    ),
  );
  for (const [at, item] of ended.entries()) {
    const name = names.get(item.instance.id);
    if (name !== undefined) ended[at] = { ...item, instance: { ...item.instance, name } };
  }
}

function collect(
  rows: Collected,
  effect: Effect,
  { tenantCode, familyId }: Pick<TimerChange, 'tenantCode' | 'familyId'>,
): void {
  switch (effect.type) {
    case 'planItemEnded':
      collectEnded(rows, effect, tenantCode);
      break;
    case 'planItemTransition':
      collectRest(rows, effect, tenantCode);
      break;
    case 'timerScheduled':
    case 'timerCancelled':
    case 'timerFired': {
      const { caseInstanceId, planItemInstanceId, definitionKey, name, dueAt, at } = effect;
      const about = { tenantCode, familyId, caseInstanceId, planItemInstanceId };
      const isScheduled = effect.type === 'timerScheduled';
      const change = { ...about, definitionKey, name, dueAt, at, isScheduled };
      rows.timers.set(timerPlace(change), change);
      break;
    }
    case 'signalSubscribed':
    case 'signalUnsubscribed': {
      const { caseInstanceId, planItemInstanceId, signalName, type } = effect;
      const isSubscribed = type === 'signalSubscribed';
      const row = { tenantCode, caseInstanceId, planItemInstanceId, signalName, isSubscribed };
      rows.signals.set(`${planItemInstanceId} ${signalName}`, row);
      break;
    }
    case 'externalWorkCreated': {
      const { planItemInstanceId: id, topic, caseInstanceId, definitionKey, name } = effect;
      const about = { id, tenantCode, topic, caseInstanceId, definitionKey, name };
      rows.works.set(id, { ...about, variables: effect.variables, createdAt: effect.at });
      rows.topics.set(id, topic);
      break;
    }
    default:
  }
}

function callIn(effect: Effect, facts: CaseFacts | undefined): ProcessCall | undefined {
  if (effect.type === 'processCancelled') {
    return { step: 'cancel', processInstanceId: effect.processInstanceId, at: effect.at };
  }
  if (effect.type !== 'processRequested') return undefined;
  const { processInstanceId, processRef, caseInstanceId, planItemInstanceId, isBlocking } = effect;
  const { tenantCode = '', entityType, entityId } = facts ?? {};
  const { businessKey, variables, at, by, sameDeploymentAs } = effect;
  return {
    ...{ step: 'start', processInstanceId, processRef, tenantCode, caseInstanceId },
    ...{ planItemInstanceId, isBlocking, businessKey, entityType, entityId, variables, at, by },
    ...(sameDeploymentAs !== undefined && { sameDeploymentAs }),
  };
}

/** The place of a timer among those that are due. */
export const timerPlace = ({
  dueAt,
  planItemInstanceId,
}: Pick<TimerChange, 'dueAt' | 'planItemInstanceId'>): string => `${dueAt}#${planItemInstanceId}`;

/** Work of a task that is suspended is offered to nobody until that is resumed. */
function collectRest(
  rows: Collected,
  { planItemInstanceId: id, from, to }: Extract<Effect, { type: 'planItemTransition' }>,
  tenantCode: string,
): void {
  const topic = rows.topics.get(id);
  if (topic === undefined || (from !== 'suspended' && to !== 'suspended')) return;
  const isListed = to !== 'suspended';
  const before = rows.works.get(id);
  const isNew = before !== undefined && 'variables' in before;
  rows.works.set(
    id,
    isNew ? { ...before, isSuspended: !isListed } : { id, tenantCode, topic, isListed },
  );
}

/** Work ends with its instance, whatever has ended that. */
function collectEnded(
  rows: Collected,
  effect: Extract<Effect, { type: 'planItemEnded' }>,
  tenantCode: string,
): void {
  const { caseInstanceId, definitionKey, definitionType, instance, repetitionCounter } = effect;
  rows.ended.push({ caseInstanceId, definitionKey, definitionType, instance, repetitionCounter });
  const topic = rows.topics.get(instance.id);
  if (topic === undefined) return;
  rows.topics.delete(instance.id);
  rows.works.set(instance.id, { id: instance.id, tenantCode, topic, isWithdrawn: true });
}
