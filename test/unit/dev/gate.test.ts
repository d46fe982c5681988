import { describe, expect, it } from 'vitest';
import { Gate } from '../../../bin/dev/proxy/gate.ts';

describe('Gate', () => {
  it('waits for those inside, keeps newcomers out, and lets them in afterwards', async () => {
    const gate = new Gate();
    const events: string[] = [];
    await gate.enter();

    const work = gate.whileQuiet(async () => {
      events.push('work');
    });
    const newcomer = gate.enter().then(() => events.push('newcomer'));
    setTimeout(() => {
      events.push('left');
      gate.leave();
    }, 20);
    await Promise.all([work, newcomer]);

    expect(events).toEqual(['left', 'work', 'newcomer']);
  });

  it('opens again when the work fails', async () => {
    const gate = new Gate();

    await expect(gate.whileQuiet(() => Promise.reject(new Error('no')))).rejects.toThrow('no');

    await expect(gate.enter()).resolves.toBeUndefined();
  });
});
