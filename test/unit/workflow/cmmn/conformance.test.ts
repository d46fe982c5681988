import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../tools/conformance/outcomes.ts';
import { runFolder } from '../../../tools/conformance/run-folder.ts';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const GENERATED = folder('../../../fixtures/cmmn/generated');
const OWN = folder('../../../fixtures/cmmn/own');
const PEER = folder('../../../../../shared/conformance/cmmn');
const EDGE = folder('../../../../../shared/conformance/cmmn-edge');

interface Played {
  readonly played: number;
  readonly failures: readonly string[];
  readonly otherwise: readonly string[];
}

async function failuresIn(path: string): Promise<Played> {
  const outcomes: Outcome[] = [];
  for await (const outcome of runFolder(path)) outcomes.push(outcome);
  const failures = outcomes
    .filter(({ status }) => status !== 'passed' && status !== 'otherwise')
    .map(({ scenario, status, reason }) => `${status} ${scenario.id}: ${reason}`);
  const otherwise = outcomes
    .filter(({ status }) => status === 'otherwise')
    .map(({ scenario }) => scenario.id);
  return { played: outcomes.length, failures, otherwise };
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
    expect(played).toBeGreaterThan(45);
  });

  it('on the models of Flowable, where they are beside the project', async () => {
    if (!existsSync(PEER)) {
      process.stdout.write(`not run: the scenarios of Flowable are not at ${PEER}\n`);
      return;
    }

    const { played, failures } = await failuresIn(PEER);

    expect(failures).toEqual([]);
    expect(played).toBe(195);
  }, 120_000);

  it('at the edges, where their scenarios lie beside the project', async () => {
    if (!existsSync(EDGE)) {
      process.stdout.write(`not run: the scenarios of the edges are not at ${EDGE}\n`);
      return;
    }

    const { played, failures, otherwise } = await failuresIn(EDGE);

    expect(failures).toEqual([]);
    expect(otherwise).toEqual(['edge-ctParam', 'edge-defCtl']);
    expect(played).toBe(55);
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

  it('has failed when a scenario that is decided otherwise goes otherwise than decided', async () => {
    const known = { id: 'edge-defCtl', model: 'none.cmmn', caseDefinitionKey: 'x', steps: [] };
    await write(JSON.stringify([known]));

    const { failures, otherwise } = await failuresIn(broken);

    expect(failures).toEqual([expect.stringMatching(/^failed edge-defCtl: .*none\.cmmn/)]);
    expect(otherwise).toEqual([]);
  });
});
