import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CaseDefinition, compile } from '../../../functions/workflow/domain/cmmn/index.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario.ts';

/** Features beyond plain CMMN that scenarios may ask for and the engine has. */
const PROVIDED: ReadonlySet<string> = new Set(['lifecycleListenerExpression', 'expressionTask']);

/** How a scenario went. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly reason?: string;
}

/** Plays all scenarios of a folder with `scenarios.json` and models, in their order. */
export async function* runFolder(folder: string): AsyncGenerator<Outcome> {
  for (const scenario of await readScenarios(folder)) {
    const missing = scenario.requires?.find((feature) => !PROVIDED.has(feature));
    if (missing) yield { scenario, status: 'skipped', reason: `requires ${missing}` };
    else yield await runScenario(folder, scenario);
  }
}

async function runScenario(folder: string, scenario: Scenario): Promise<Outcome> {
  try {
    const definitions = await deploy(folder, scenario);
    const reason = play(scenario, definitions);
    return { scenario, status: reason ? 'failed' : 'passed', reason };
  } catch (error) {
    return { scenario, status: 'failed', reason: (error as Error).message };
  }
}

/** Compiles the models of all scenarios of a folder. */
export async function loadFolder(
  folder: string,
): Promise<readonly { scenario: Scenario; definitions: readonly CaseDefinition[] }[]> {
  const loaded: { scenario: Scenario; definitions: readonly CaseDefinition[] }[] = [];
  for (const scenario of await readScenarios(folder)) {
    loaded.push({ scenario, definitions: await deploy(folder, scenario) });
  }
  return loaded;
}

async function readScenarios(folder: string): Promise<readonly Scenario[]> {
  return JSON.parse(await readFile(join(folder, 'scenarios.json'), 'utf8')) as readonly Scenario[];
}

async function deploy(folder: string, scenario: Scenario): Promise<readonly CaseDefinition[]> {
  const definitions: CaseDefinition[] = [];
  for (const model of [scenario.model, ...(scenario.extraModels ?? [])]) {
    const { isValid, cases, problems } = await compile(await readFile(join(folder, model), 'utf8'));
    if (!isValid) {
      const errors = problems.filter(({ severity }) => severity === 'ERROR');
      throw new Error(`${model}: ${errors.map((e) => `${e.code} ${e.message}`).join('; ')}`);
    }
    definitions.push(...cases);
  }
  return definitions;
}
