import { AsyncLocalStorage } from 'node:async_hooks';
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
  /** Runs an invocation, and waits for all that it has started, until shortly before its deadline. */
  during<T>(invocation: () => Promise<T>): Promise<T>;
}

/** Work that an invocation has started. */
interface Started {
  readonly running: Set<Promise<void>>;
  hasEnded: boolean;
}

/** Time left in the invocation when waiting ends (ms). */
const RESERVE_MS = 500;

const ofInvocation = new AsyncLocalStorage<Started>();

/** The background work of one environment. */
export function createBackgroundWork(clock: Clock, log: Log): BackgroundWork {
  /** Work that was started after its own invocation had ended: the next invocation waits for it at its end. */
  const left = new Set<Promise<void>>();
  const add = (work: Promise<void>): void => {
    const own = ofInvocation.getStore();
    const running = own && !own.hasEnded ? own.running : left;
    const run: Promise<void> = work.finally(() => running.delete(run));
    running.add(run);
  };
  const settle = async (own: Started): Promise<void> => {
    const { running } = own;
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
    while (running.size + left.size > 0) {
      if ((await Promise.race([Promise.all([...running, ...left]), ...timeLimit])) === 'late') {
        log.error('Work in the background did not end within the invocation', {
          unfinished: running.size + left.size,
        });
        // No later invocation waits for what may never end.
        left.clear();
        own.hasEnded = true;
        return;
      }
    }
    // At once: nobody looks again for what begins from now on.
    own.hasEnded = true;
    giveUp.abort();
    await Promise.allSettled(timeLimit);
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

    during(invocation) {
      const own: Started = { running: new Set(), hasEnded: false };
      return ofInvocation.run(own, async () => {
        try {
          return await invocation();
        } finally {
          await settle(own);
        }
      });
    },
  };
}
