import type {
  CaseInstance,
  Effect,
  EngineState,
  PlanItemInstance,
  Variables,
} from '../../../functions/workflow/domain/cmmn/index.ts';

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

const ENDED: readonly string[] = ['completed', 'terminated', 'failed'];

/**
 * What a host knows that hears the effects and never looks at the state: open instances, tasks, timers, work outside,
 * subscriptions, variables. It complains about effects that do not fit what it has heard before.
 */
export class Ledger {
  readonly items = new Map<string, string>();
  /** The case of every instance there has been. */
  readonly caseOf = new Map<string, string>();
  readonly tasks = new Set<string>();
  readonly timers = new Map<string, string>();
  readonly work = new Set<string>();
  readonly processes = new Set<string>();
  readonly signals = new Map<string, string>();
  /** Cases and stages that a person may complete. */
  readonly completable = new Set<string>();
  readonly variables = new Map<string, Record<string, unknown>>();
  readonly complaints: string[] = [];

  hear(effects: readonly Effect[]): void {
    for (const effect of effects) this.#hear(effect);
  }

  #hear(effect: Effect): void {
    if ('planItemId' in effect) this.caseOf.set(effect.planItemInstanceId, effect.caseInstanceId);
    switch (effect.type) {
      case 'caseCompletableChanged':
        this.#note(effect.caseInstanceId, effect.isCompletable, effect);
        break;
      case 'stageCompletableChanged':
        this.#note(effect.planItemInstanceId, effect.isCompletable, effect);
        break;
      case 'caseEnded':
        this.completable.delete(effect.caseInstanceId);
        break;
      case 'caseStarted':
        this.variables.set(effect.caseInstanceId, {});
        break;
      case 'variableChanged':
        this.#change(effect);
        break;
      case 'planItemTransition':
        this.#move(effect);
        break;
      case 'planItemEnded':
        this.#expect(ENDED.includes(effect.instance.state), effect, 'has not ended');
        this.#expect(this.items.delete(effect.planItemInstanceId), effect, 'is unknown');
        this.completable.delete(effect.planItemInstanceId);
        break;
      case 'taskCreated':
        this.tasks.add(effect.planItemInstanceId);
        break;
      case 'taskCompleted':
      case 'taskCancelled':
        this.#expect(this.tasks.delete(effect.planItemInstanceId), effect, 'no task');
        break;
      case 'timerScheduled':
        this.timers.set(effect.planItemInstanceId, effect.dueAt);
        break;
      case 'timerFired':
      case 'timerCancelled':
        this.#expect(
          this.timers.get(effect.planItemInstanceId) === effect.dueAt,
          effect,
          'no timer',
        );
        this.timers.delete(effect.planItemInstanceId);
        break;
      case 'externalWorkCreated':
        this.work.add(effect.planItemInstanceId);
        break;
      case 'externalWorkCancelled':
      case 'externalWorkFailed':
        this.#expect(this.work.delete(effect.planItemInstanceId), effect, 'no work');
        break;
      case 'processRequested':
        if (effect.isBlocking) this.processes.add(effect.planItemInstanceId);
        break;
      case 'processCancelled':
        this.#expect(this.processes.delete(effect.planItemInstanceId), effect, 'no process');
        break;
      case 'signalSubscribed':
        this.signals.set(effect.planItemInstanceId, effect.signalName);
        break;
      case 'signalUnsubscribed':
        this.#expect(this.signals.delete(effect.planItemInstanceId), effect, 'no subscription');
        break;
      default:
    }
  }

  #change({
    caseInstanceId,
    planItemInstanceId,
    name,
    change,
    value,
  }: EffectOf<'variableChanged'>): void {
    if (planItemInstanceId !== undefined) return;
    const variables = this.variables.get(caseInstanceId) ?? {};
    this.variables.set(caseInstanceId, variables);
    if (change === 'delete') delete variables[name];
    else variables[name] = value;
  }

  /** Work that is done, and a process that has ended, need no effect of their own: their caller has said so. */
  #move(effect: EffectOf<'planItemTransition'>): void {
    const { planItemInstanceId: id, from, to, transition, cause } = effect;
    this.#expect(this.items.get(id) === from, effect, `was ${this.items.get(id)}`);
    this.items.set(id, to);
    if (transition === 'complete' || (ENDED.includes(to) && cause === 'calledEnded')) {
      this.work.delete(id);
      this.processes.delete(id);
    }
  }

  #note(id: string, isCompletable: boolean, effect: Effect): void {
    this.#expect(this.completable.has(id) !== isCompletable, effect, 'has been so before');
    if (isCompletable) this.completable.add(id);
    else this.completable.delete(id);
  }

  #expect(holds: boolean, effect: Effect, why: string): void {
    if (!holds) this.complaints.push(`${why}: ${JSON.stringify(effect)}`);
  }
}

const instancesOf = (
  cases: readonly CaseInstance[],
  isMeant: (item: PlanItemInstance) => boolean,
): string[] =>
  cases.flatMap(({ planItems }) => planItems.filter(isMeant).map(({ id }) => id)).sort();

/** What the state says and what somebody knows who has only heard the effects; the two are to be the same. */
export function compareWithLedger(
  state: EngineState,
  ledger: Ledger,
  typeOf: (item: PlanItemInstance) => string | undefined,
): readonly [told: unknown, heard: unknown] {
  const { cases } = state;
  const here = new Set(cases.map(({ id }) => id));
  /** Cases that nobody waits for have parted. */
  const ids = (known: Iterable<string>): string[] =>
    [...known].filter((id) => here.has(ledger.caseOf.get(id) ?? '')).sort();
  const isOpen = (item: PlanItemInstance): boolean =>
    item.state === 'active' || item.suspendedFrom === 'active';
  const waiting = (type: string) => (item: PlanItemInstance) =>
    isOpen(item) && typeOf(item) === type;
  const isListening = (item: PlanItemInstance): boolean =>
    typeOf(item) === 'signalEventListener' && item.state === 'available';
  const variables = (given: ReadonlyMap<string, Variables | Record<string, unknown>>): unknown =>
    cases.map(({ id }) => given.get(id));
  return [
    {
      complaints: [],
      states: Object.fromEntries(cases.flatMap((c) => c.planItems.map((i) => [i.id, i.state]))),
      tasks: instancesOf(cases, ({ task }) => task !== undefined),
      timers: instancesOf(cases, (item) => item.timer !== undefined && item.state !== 'suspended'),
      work: instancesOf(cases, waiting('externalWorkerTask')),
      processes: instancesOf(cases, waiting('processTask')),
      signals: instancesOf(cases, isListening),
      variables: variables(new Map(cases.map((c) => [c.id, c.variables]))),
      completable: [
        ...cases.flatMap(({ id, completable, state }) =>
          completable && !ENDED.includes(state) ? id : [],
        ),
        ...instancesOf(cases, ({ completable }) => completable === true),
      ].sort(),
    },
    {
      complaints: ledger.complaints,
      states: Object.fromEntries(ids(ledger.items.keys()).map((id) => [id, ledger.items.get(id)])),
      tasks: ids(ledger.tasks),
      timers: ids(ledger.timers.keys()),
      work: ids(ledger.work),
      processes: ids(ledger.processes),
      signals: ids(ledger.signals.keys()),
      variables: variables(ledger.variables),
      completable: [
        ...cases.flatMap(({ id }) => (ledger.completable.has(id) ? id : [])),
        ...ids(ledger.completable),
      ].sort(),
    },
  ];
}
