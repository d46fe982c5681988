import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Outcome, runFolder } from '../../../../bin/dev/conformance/run-folder.ts';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const GENERATED = folder('../../../fixtures/cmmn/generated');
const OWN = folder('../../../fixtures/cmmn/own');
const PEER = folder('../../../../../shared/conformance/cmmn');

async function failuresIn(path: string): Promise<{ played: number; failures: string[] }> {
  const outcomes: Outcome[] = [];
  for await (const outcome of runFolder(path)) outcomes.push(outcome);
  const failures = outcomes
    .filter(({ status }) => status !== 'passed')
    .map(({ scenario, status, reason }) => `${status} ${scenario.id}: ${reason}`);
  return { played: outcomes.length, failures };
}

describe('the engine behaves as the scenarios say', () => {
  it('on the generated models', async () => {
    const { played, failures } = await failuresIn(GENERATED);

    expect(failures).toEqual([]);
    expect(played).toBe(400);
  }, 120_000);

  it('on models of our own', async () => {
    const { played, failures } = await failuresIn(OWN);

    expect(failures).toEqual([]);
    expect(played).toBeGreaterThan(15);
  });

  it("on the peer's own models, where they lie beside the project", async () => {
    if (!existsSync(PEER)) {
      process.stdout.write(`not run: the scenarios of the peer are not at ${PEER}\n`);
      return;
    }

    const { played, failures } = await failuresIn(PEER);

    expect(failures).toEqual([]);
    expect(played).toBe(195);
  }, 120_000);
});
