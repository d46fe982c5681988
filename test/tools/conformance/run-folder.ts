import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CaseDefinition, compile } from '../../../functions/workflow/domain/cmmn/index.ts';
import { type Outcome, outcomesOf, type Player, readEntries } from './outcomes.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario.ts';

/** Plays with the engine in this process. */
export const playInProcess: Player = async (folder, scenario) =>
  play(scenario, await deploy(folder, scenario));

/**
 * Plays all scenarios of a folder with `scenarios.json` and models, in their order.
 * @throws Error when there is no such list; an entry that is no scenario fails on its own
 */
export async function* runFolder(
  folder: string,
  player: Player = playInProcess,
): AsyncGenerator<Outcome> {
  for (const run of await outcomesOf(folder, player)) yield await run();
}

/** Compiles the models of all scenarios of a folder. */
export async function loadFolder(
  folder: string,
): Promise<readonly { scenario: Scenario; definitions: readonly CaseDefinition[] }[]> {
  const loaded: { scenario: Scenario; definitions: readonly CaseDefinition[] }[] = [];
  for (const scenario of (await readEntries(folder)) as readonly Scenario[]) {
    loaded.push({ scenario, definitions: await deploy(folder, scenario) });
  }
  return loaded;
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
