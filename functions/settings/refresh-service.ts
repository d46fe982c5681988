import { envelopeSource } from '../../shared/messaging/wire/envelope.ts';
import type { EventPublisher, Message } from '../../shared/messaging/wire/event-publisher.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { RefreshScope } from '../../shared/refresh/refresh-scope.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { REFRESH_TOPIC, type RefreshNotice } from './events.ts';
import type { EpochRepository } from './store/epoch-repository.ts';

export interface RefreshServiceDependencies {
  readonly epochs: EpochRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: EventPublisher;
  readonly refreshScope: RefreshScope;
  readonly clock: Clock;
  readonly log: Log;
  readonly appCode: string;
}

/** Makes every environment load its refresh-scoped values again, without a restart. */
export class RefreshService {
  readonly #deps: RefreshServiceDependencies;

  constructor(dependencies: RefreshServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Refreshes a configuration key everywhere: increments the epoch that warm environments read, and publishes a
   * notice on the topic `iam-config-refresh`. Inside a unit of work both happen with its commit.
   * @param key name of a setting, or `__REFRESH_ALL__` for every refresh-scoped value.
   * @returns the epoch that the refresh made.
   */
  async refresh(key: string): Promise<{ readonly key: string; readonly epoch: number }> {
    const { unitOfWork, events } = this.#deps;
    return unitOfWork(async (unit) => {
      const { epoch, isNew } = await this.#step(unit, key);
      if (isNew) await events.publish(REFRESH_TOPIC, key, { key, epoch } satisfies RefreshNotice);
      return { key, epoch };
    });
  }

  /**
   * Handles a notice of the topic. A notice of another application increments the epoch in the transaction that marks the
   * message as processed; the platform's own have done so already. It publishes nothing, so notices cannot loop.
   */
  async onNotice(message: Message): Promise<void> {
    const notice = message.payload as Partial<RefreshNotice> | null;
    const key = notice?.key;
    if (typeof key !== 'string' || key === '' || key.length > 255) {
      this.#deps.log.warn('A refresh notice without a key was discarded', {
        messageId: message.messageId,
      });
      return;
    }
    const isOwn =
      message.source === envelopeSource(this.#deps.appCode) && typeof notice?.epoch === 'number';
    if (isOwn) this.#deps.refreshScope.drop(key);
    else await this.#takeForeignNotice(key);
  }

  async #takeForeignNotice(key: string): Promise<void> {
    await this.#deps.unitOfWork(async (unit) => void (await this.#step(unit, key)));
  }

  /** Takes the next step of the epoch for a key, once in a unit. */
  async #step(
    unit: UnitOfWork,
    key: string,
  ): Promise<{ readonly epoch: number; readonly isNew: boolean }> {
    const { refreshScope } = this.#deps;
    const steps = units.get(unit) ?? this.#begin(unit);
    const isNew = !steps.keys.includes(key);
    if (isNew) {
      steps.keys.push(key);
      unit.afterCommit(async () => refreshScope.drop(key));
    }
    return { epoch: (await steps.before) + steps.keys.indexOf(key) + 1, isNew };
  }

  /** All steps of a unit are one write to the epoch. */
  #begin(unit: UnitOfWork): Steps {
    const { epochs, clock } = this.#deps;
    const steps: Steps = { before: epochs.epoch(), keys: [] };
    units.set(unit, steps);
    unit.atClose(async () => epochs.stageSteps(unit, await steps.before, steps.keys, clock.now()));
    return steps;
  }
}

/** Refreshes of a unit. */
interface Steps {
  /** The epoch before them. */
  readonly before: Promise<number>;
  readonly keys: string[];
}

const units = new WeakMap<UnitOfWork, Steps>();
