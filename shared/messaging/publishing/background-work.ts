import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../primitives/clock.ts';
import type { Log } from '../../primitives/log.ts';
import { requestContext } from '../../primitives/request-context.ts';

/** Work that the caller does not await but the invocation does: a frozen environment would lose it. */
export interface BackgroundWork {
  /** Starts work; a failure is only logged. */
  start(work: () => Promise<void>): void;
  /** Keeps the invocation from ending before work that its caller may not await. */
  hold(work: Promise<unknown>): void;
  /** Waits for all started work, until shortly before the invocation's deadline. */
  settle(): Promise<void>;
}

/** Time left in the invocation when waiting ends (ms). */
const RESERVE_MS = 500;

/** The background work of one environment. */
export function createBackgroundWork(clock: Clock, log: Log): BackgroundWork {
  const running = new Set<Promise<void>>();
  const add = (work: Promise<void>): void => {
    const run: Promise<void> = work.finally(() => running.delete(run));
    running.add(run);
  };
  return {
    start(work) {
      add(work().catch((cause: unknown) => log.error('Work in the background failed', { cause })));
    },

    hold(work) {
      add(
        work.then(
          () => undefined,
          () => undefined,
        ),
      );
    },

    async settle() {
      const { deadline } = requestContext();
      const giveUp = new AbortController();
      const timeLimit =
        deadline === undefined
          ? []
          : [
              sleep(Math.max(deadline - clock.now() - RESERVE_MS, 0), 'late', {
                signal: giveUp.signal,
              }),
            ];
      // Running work may start more.
      while (running.size > 0) {
        if ((await Promise.race([Promise.all(running), ...timeLimit])) === 'late') {
          log.error('Work in the background did not end within the invocation', {
            unfinished: running.size,
          });
          return;
        }
      }
      giveUp.abort();
      await Promise.allSettled(timeLimit);
    },
  };
}
