import type { SvcConfig } from '../../shared/config/index.ts';
import type { Queues } from '../../shared/messaging/queues.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import { relayTicks } from './domain/relay-schedule.ts';

/** What the ticker needs from outside. */
export interface TickDependencies {
  readonly queues: Queues;
  readonly tickQueue: string | undefined;
  readonly clock: Clock;
  readonly config: SvcConfig['mq']['relay'];
}

const MINUTE_MS = 60_000;

/** Body of a tick. */
const TICK = JSON.stringify({ task: 'relay' });

/**
 * Splits minutes: EventBridge wakes once a minute, the ticker sends the relay one delayed message for each run of
 * the minute to come.
 */
export class TickService {
  readonly #to: TickDependencies;

  constructor(dependencies: TickDependencies) {
    this.#to = dependencies;
  }

  /** Sends the ticks of the next minute; the number of them. */
  async sendTicks(): Promise<number> {
    const { queues, tickQueue, clock, config } = this.#to;
    if (tickQueue === undefined) throw new Error('The relay has no queue for its ticks');
    // The rule may fire late: the window is the minute that is running, so none is left out or named twice.
    const now = clock.now();
    const start = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const ticks = relayTicks(config.scheduleTrigger, start, start + MINUTE_MS);
    for (const at of ticks) {
      const delaySeconds = Math.max(Math.round((at - now) / 1_000), 0);
      await queues.send({ queue: tickQueue, body: TICK, delaySeconds });
    }
    return ticks.length;
  }
}
