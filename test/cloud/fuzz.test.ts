import { describe, expect, it } from 'vitest';
import { cloud } from '../helpers/cloud/cloud.ts';
import { runFuzzer } from '../tools/fuzz/run-fuzzer.ts';

describe('every operation of the platform', () => {
  it('answers as documented, whatever it is sent, and never with a 5xx', async () => {
    const token = await cloud.token({ sub: 'fuzz', roles: ['admin'] });

    const { code, output } = await runFuzzer({
      baseUrl: cloud.baseUrl,
      token,
      maxExamples: 3,
      seed: 20_260_101,
      // The others take longer than a test may: npm run fuzz has them.
      more: ['--phases', 'examples,fuzzing'],
    });

    expect(code, output).toBe(0);
    const [, selected, tested] = /Selected: (\d+)[^\n]*\n\s*Tested: (\d+)/.exec(output) ?? [];
    expect(Number(tested), output).toBeGreaterThan(0);
    expect(tested).toBe(selected);
    expect(output).toMatch(/Test cases:\n {2}\d+ generated, \d+ passed/);
  }, 600_000);
});
