import type { EventPublisher } from '../../../../shared/messaging/wire/event-publisher.ts';
import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { RunLocks } from '../../store/run-lock.ts';
import type { SourceRepository } from '../../store/source-repository.ts';
import type { SyncStates } from '../../store/sync-state-repository.ts';
import { isLost } from '../run/health.ts';
import type { Histories } from '../run/histories.ts';
import type { LockKeeper } from '../run/lock-keeper.ts';
import { SOURCE_DISABLED } from '../topics.ts';
import type { SourceSchedules } from './source-schedules.ts';

interface SourcePassDependencies {
  readonly sources: SourceRepository;
  readonly schedules: SourceSchedules;
  readonly locks: RunLocks;
  readonly keeper: LockKeeper;
  readonly histories: Histories;
  readonly states: SyncStates;
  readonly events: EventPublisher;
  readonly unitOfWork: RunUnitOfWork;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks after all sources: their schedules, runs whose execution has died, sources that fail for weeks. */
export class SourcePass {
  readonly #deps: SourcePassDependencies;

  constructor(dependencies: SourcePassDependencies) {
    this.#deps = dependencies;
  }

  /** One source that cannot be looked after keeps none of the others. */
  async run(): Promise<{ readonly sources: number; readonly failed: number }> {
    const { sources, log } = this.#deps;
    const all = await sources.all();
    let failed = 0;
    for (const source of all) {
      try {
        await this.#lookAfter(source);
      } catch (cause) {
        failed += 1;
        log.error('A source could not be looked after', { source: source.id, cause });
      }
    }
    return { sources: all.length, failed };
  }

  async #lookAfter(source: IdentitySource): Promise<void> {
    const { schedules, states, clock } = this.#deps;
    await this.closeInterrupted(source.id);
    const { registration, health } = await states.of(source.id);
    if (source.enabled && isLost(health, clock.now())) return this.#disable(source);
    if (source.enabled) await schedules.renew(source, registration);
    else if (registration.status !== 'NONE') await schedules.deregister(source.id);
  }

  /** A run whose execution is not under way any more must not stay pending for ever. */
  async closeInterrupted(sourceId: string): Promise<void> {
    const { locks, keeper, unitOfWork, histories, states, clock } = this.#deps;
    const lock = await locks.of(sourceId);
    if (lock.owner === undefined || (await keeper.holder(lock))) return;
    const endTime = toInstant(clock.now());
    const interrupted = { status: 'FAIL' as const, reasonCode: 'INTERRUPTED', endTime };
    await unitOfWork(async (unit) => {
      const now = await locks.of(sourceId);
      if (now.owner !== lock.owner) return;
      await histories.stageChange(unit, now.batch ?? '', (row) =>
        row.status === 'PENDING' ? interrupted : undefined,
      );
      locks.stage(unit, keeper.freed(now));
      await states.stageChange(unit, sourceId, () => ({ runningBatch: undefined }));
    });
  }

  async #disable(source: IdentitySource): Promise<void> {
    const { sources, schedules, unitOfWork, events, clock } = this.#deps;
    const updatedAt = toInstant(clock.now());
    await unitOfWork(async (unit) => {
      const before = await sources.find(source.id);
      if (!before?.enabled) return;
      const stamps = { updatedAt, updatedBy: 'system', version: before.version + 1 };
      const taken = () => new Error('The name of the source is its own');
      sources.stage(unit, { ...before, ...stamps, enabled: false }, before, taken);
      await events.publish(SOURCE_DISABLED, source.id, { sourceId: source.id, reason: 'FAILING' });
    });
    await schedules.deregister(source.id);
  }
}
