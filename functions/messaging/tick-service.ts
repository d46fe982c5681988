import type { PlatformConfig } from '../../shared/config/index.ts';
import type { Queues } from '../../shared/messaging/wire/queues.ts';
import type { Clock } from '../../shared/primitives/clock.ts';

/** Schedules with their cron expressions, which only ticks need. */
const schedules = () => import('./domain/relay-schedule.ts');

export interface TickDependencies {
  readonly queues: Queues;
  readonly tickQueue: string | undefined;
  readonly clock: Clock;
  readonly config: PlatformConfig['mq']['relay'];
}

const MINUTE_MS = 60_000;

/** Body of a tick. */
const TICK = JSON.stringify({ task: 'relay' });

/**
 * Splits minutes: EventBridge wakes once in each minute of the clock, the ticker sends the relay one delayed message
 * for each run of that minute.
 */
export class TickService {
  readonly #deps: TickDependencies;

  constructor(dependencies: TickDependencies) {
    this.#deps = dependencies;
  }

  /** Sends the ticks of the running minute, one for all that have passed already; the number of them. */
  async sendTicks(): Promise<number> {
    const { queues, tickQueue, clock, config } = this.#deps;
    if (tickQueue === undefined) throw new Error('The relay has no queue for its ticks');
    const now = clock.now();
    const start = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const { relayTicks } = await schedules();
    const ticks = relayTicks(config.scheduleTrigger, start, start + MINUTE_MS);
    const ahead = ticks.filter((at) => at > now).map((at) => Math.round((at - now) / 1_000));
    const delays = ahead.length < ticks.length ? [0, ...ahead] : ahead;
    for (const delaySeconds of delays) {
      await queues.send({ queue: tickQueue, body: TICK, delaySeconds });
    }
    return delays.length;
  }
}
