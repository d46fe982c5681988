import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type {
  RecurringSchedule,
  RecurringSchedules,
} from '../../../../shared/schedules/recurring-schedule.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { fingerprint } from '../../domain/directory/fingerprint.ts';
import { rateMs } from '../../domain/schedule/period.ts';
import { nextRuns, planSchedule, type SchedulePlan } from '../../domain/schedule/plan-schedule.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { Registration } from '../../domain/sources/source-state.ts';
import type { SyncStates } from '../../store/sync-state-repository.ts';

interface SourceSchedulesDependencies {
  readonly store: RecurringSchedules | undefined;
  readonly states: SyncStates;
  readonly unitOfWork: RunUnitOfWork;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
  /** Time zone of sources that name none. */
  readonly zone: string;
  /** Whether the scheduler has no time zones, as that of the local cloud. */
  readonly hasNoZones: boolean;
}

/** Times of a source at most. */
const MOST = 10;

/** Keeps the schedules of sources in place. */
export class SourceSchedules {
  readonly #deps: SourceSchedulesDependencies;

  constructor(dependencies: SourceSchedulesDependencies) {
    this.#deps = dependencies;
  }

  /** The schedule that a source has; `undefined`: it is synchronised by hand. @throws ScheduleError */
  planOf({ jobConfig }: Pick<IdentitySource, 'jobConfig'>): SchedulePlan | undefined {
    return planSchedule(jobConfig, this.#deps.zone, this.#deps.clock.now());
  }

  /** Puts the schedules of a source in place; a failure is noted and takes them away, and is never thrown. */
  async register(source: IdentitySource): Promise<void> {
    await this.#note(source.id, await this.#registered(source));
  }

  /** The same, when something has changed since the last time or went wrong then. */
  async renew(source: IdentitySource, { key, status }: Registration): Promise<void> {
    if (status === 'REGISTERED' && key === this.#keyOf(source)) return;
    if (status === 'NONE' && this.#reasonForNone(source)) return;
    await this.register(source);
  }

  async deregister(sourceId: string): Promise<void> {
    await this.#removeAll(sourceId);
    await this.#note(sourceId, { status: 'NONE', reason: 'DISABLED' });
  }

  async #registered(source: IdentitySource): Promise<Registration> {
    const reason = this.#reasonForNone(source);
    try {
      const schedules = reason === undefined ? this.#schedulesOf(source) : [];
      for (const schedule of schedules) await this.#deps.store?.put(schedule);
      await this.#removeAll(source.id, new Set(schedules.map(({ name }) => name)));
      return reason === undefined
        ? { status: 'REGISTERED', key: this.#keyOf(source) }
        : { status: 'NONE', reason };
    } catch (cause) {
      this.#deps.log.error('A schedule could not be registered', { source: source.id, cause });
      await this.#removeAll(source.id);
      return { status: 'FAILED', reason: 'SCHEDULER_FAILED' };
    }
  }

  #reasonForNone(source: IdentitySource): string | undefined {
    if (!source.configured) return 'NOT_CONFIGURED';
    return this.planOf(source) ? undefined : 'NO_SCHEDULE';
  }

  #schedulesOf(source: IdentitySource): readonly RecurringSchedule[] {
    const { expressions, timezone } = this.planOf(source) ?? { expressions: [], timezone: 'UTC' };
    return expressions.map((expression, index) => {
      const period = rateMs(expression);
      const timing = this.#inUtc(expression, timezone);
      return {
        name: nameOf(source.id, index, isInstant(timing.expression)),
        ...timing,
        // Saving a source does not synchronise it.
        ...(period !== undefined && { from: this.#deps.clock.now() + period }),
        jitterMinutes: source.jobConfig.jitterMinutes,
        input: { sourceId: source.id, trigger: 'JOB' },
      };
    });
  }

  /** Without time zones the next run is written as an instant; the next pass writes the one after it. */
  #inUtc(expression: string, timezone: string): Pick<RecurringSchedule, 'expression' | 'timezone'> {
    const isEasy = !this.#deps.hasNoZones || timezone === 'UTC' || rateMs(expression) !== undefined;
    if (isEasy) return { expression, timezone };
    const now = this.#deps.clock.now();
    const [next = now] = nextRuns({ expressions: [expression], timezone }, now, now, 1);
    return { expression: `at(${toInstant(next).slice(0, 19)})`, timezone: 'UTC' };
  }

  /** What is in place. An instant of the local cloud is another one after each run. */
  #keyOf(source: IdentitySource): string {
    const plan = this.planOf(source);
    const instants = this.#deps.hasNoZones
      ? plan?.expressions.map((each) => this.#inUtc(each, plan.timezone).expression)
      : [];
    return fingerprint([plan, instants, source.jobConfig.jitterMinutes]);
  }

  async #removeAll(sourceId: string, kept: ReadonlySet<string> = new Set()): Promise<void> {
    for (const name of this.#namesOf(sourceId)) {
      if (kept.has(name)) continue;
      await this.#deps.store?.delete(name).catch((cause: unknown) => {
        this.#deps.log.error('A schedule could not be removed', { source: sourceId, cause });
      });
    }
  }

  /** Names that the schedules of a source may have. */
  #namesOf(sourceId: string): readonly string[] {
    const forms = this.#deps.hasNoZones ? [false, true] : [false];
    const numbers = Array.from({ length: MOST }, (_, index) => index);
    return forms.flatMap((isAt) => numbers.map((index) => nameOf(sourceId, index, isAt)));
  }

  async #note(sourceId: string, registration: Registration): Promise<void> {
    const { unitOfWork, states, clock } = this.#deps;
    const at = toInstant(clock.now());
    await unitOfWork((unit) =>
      states.stageChange(unit, sourceId, () => ({ registration: { ...registration, at } })),
    );
  }
}

const isInstant = (expression: string): boolean => expression.startsWith('at(');

/** The local cloud fires no instant under a name that a recurring schedule has fired under. */
const nameOf = (sourceId: string, index: number, isAt: boolean): string =>
  `${sourceId}-${index}${isAt ? '-at' : ''}`;
