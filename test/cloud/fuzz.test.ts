import { copyFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cloud } from '../helpers/cloud/cloud.ts';
import { journeyCallsFile, recordedCallsFile } from '../helpers/grants/recorded-calls-file.ts';
import { type FuzzOptions, runFuzzer } from '../tools/fuzz/run-fuzzer.ts';

/** The same requests in each run: more of them on a faster machine. */
const SEED = 20_260_101;
/** Time for all operations together, however many there are. */
const SECONDS = 60;
/** Time for the second run where the first one has used up all: enough to start and to send a little. */
const LEAST_SECONDS = 10;

describe('every operation of the platform', () => {
  it('answers as documented, whatever it is sent, and never with a 5xx', async () => {
    copyFileSync(recordedCallsFile, journeyCallsFile);
    const token = await cloud.token({ sub: 'fuzz', roles: ['admin'] });
    const startedAt = performance.now();
    /** Which phases: the others take longer than a test may (npm run fuzz has them). */
    const run = async (phases: string, options: Partial<FuzzOptions>): Promise<string> => {
      const more = ['--phases', phases];
      const { code, output } = await runFuzzer({ baseUrl: cloud.baseUrl, token, more, ...options });
      expect(code, output).toBe(0);
      expect(output).toMatch(/Test cases:\n {2}\d+ generated, \d+ passed/);
      return output;
    };

    // When its time is up the fuzzer leaves out the operations that are still to come: here each has its turn first.
    const once = await run('fuzzing', { maxExamples: 1, seed: SEED });
    const [, selected, tested] = /Selected: (\d+)[^\n]*\n\s*Tested: (\d+)/.exec(once) ?? [];
    expect(Number(tested), once).toBeGreaterThan(0);
    expect(tested).toBe(selected);

    // What is left is shared evenly, and none of it is kept.
    const left = SECONDS - Math.round((performance.now() - startedAt) / 1_000);
    const seconds = Math.max(LEAST_SECONDS, left);
    await run('examples,fuzzing', { seconds, seed: SEED + 1 });
  }, 600_000);
});
