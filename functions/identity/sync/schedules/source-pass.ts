import type { EventPublisher } from '../../../../shared/messaging/wire/event-publisher.ts';
import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { SourceRepository } from '../../store/source-repository.ts';
import type { SyncStates } from '../../store/sync-state-repository.ts';
import type { DeadRuns } from '../run/dead-runs.ts';
import { isLost } from '../run/health.ts';
import { SOURCE_DISABLED } from '../topics.ts';
import type { SourceSchedules } from './source-schedules.ts';

interface SourcePassDependencies {
  readonly sources: SourceRepository;
  readonly schedules: SourceSchedules;
  readonly deadRuns: DeadRuns;
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
        log.error('The regular check of a source failed', { source: source.id, cause });
      }
    }
    return { sources: all.length, failed };
  }

  async #lookAfter(source: IdentitySource): Promise<void> {
    const { schedules, states, clock, deadRuns } = this.#deps;
    await deadRuns.close(source.id);
    const { registration, health } = await states.of(source.id);
    if (source.enabled && isLost(health, clock.now())) return this.#disable(source);
    if (source.enabled) await schedules.renew(source, registration);
    else if (registration.status !== 'NONE') await schedules.deregister(source.id);
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
