import { describe, expect, it } from 'vitest';
import { createBackgroundWork } from '../../../../../shared/messaging/publishing/background-work.ts';
import { runInContext } from '../../../../../shared/primitives/request-context.ts';
import { aContext } from '../../../../helpers/world/a-context.ts';

describe('work that begins while its invocation ends', () => {
  it.each([undefined, 60_000])(
    'is waited for by the next one at the latest; deadline: %s',
    async (timeMs) => {
      const { clock, log } = aContext();
      const background = createBackgroundWork(clock, log);
      const deadline = timeMs === undefined ? {} : { deadline: clock.now() + timeMs };
      const during = (work: () => Promise<void>) =>
        runInContext({ traceId: 't', ...deadline }, () => background.during(work));
      const lost: number[] = [];

      for (let steps = 0; steps < 12; steps += 1) {
        let hasBegun = false;
        let hasEnded = false;
        const begin = async () => {
          for (let step = 0; step < steps; step += 1) await undefined;
          hasBegun = true;
          background.hold(
            new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => {
              hasEnded = true;
            }),
          );
        };
        await during(async () => void begin());
        const mustEnd = hasBegun;
        await during(async () => undefined);
        if (mustEnd && !hasEnded) lost.push(steps);
      }

      expect(lost).toEqual([]);
    },
  );
});
