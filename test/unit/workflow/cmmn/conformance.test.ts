import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, runFolder } from '../../../tools/conformance/run-folder.ts';

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

describe('a folder that is broken', () => {
  let broken: string;
  beforeAll(async () => {
    broken = await mkdtemp(join(tmpdir(), 'scenarios-'));
  });
  afterAll(() => rm(broken, { recursive: true }));
  const write = (text: string): Promise<void> => writeFile(join(broken, 'scenarios.json'), text);

  it('is refused with its reason', async () => {
    await expect(failuresIn(join(broken, 'none'))).rejects.toThrow('holds no scenarios');
    await write('{bad');
    await expect(failuresIn(broken)).rejects.toThrow('JSON');
    await write('{}');
    await expect(failuresIn(broken)).rejects.toThrow('it is no list');
  });

  it('fails for each entry on its own', async () => {
    const whole = { id: 'c', model: 'none.cmmn', caseDefinitionKey: 'x', steps: [] };
    await write(
      JSON.stringify([null, { id: 'b' }, whole, { ...whole, id: 'd', requires: ['magic'] }]),
    );

    const { failures } = await failuresIn(broken);

    expect(failures).toEqual([
      expect.stringMatching(/^failed entry 0: .*object/),
      expect.stringMatching(/^failed b: .*model/),
      expect.stringMatching(/^failed c: .*none\.cmmn/),
      'skipped d: requires magic',
    ]);
  });
});
