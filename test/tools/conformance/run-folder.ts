import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type CaseDefinition, compile } from '../../../functions/workflow/domain/cmmn/index.ts';
import { DECIDED_OTHERWISE } from './decided-otherwise.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario.ts';

/** Features beyond plain CMMN that scenarios may ask for and the engine has. */
const PROVIDED: ReadonlySet<string> = new Set(['lifecycleListenerExpression', 'expressionTask']);

/** What every scenario must have; what its steps mean, the player knows. */
const FORM = z.looseObject({
  id: z.string(),
  model: z.string(),
  extraModels: z.array(z.string()).optional(),
  requires: z.array(z.string()).optional(),
  caseDefinitionKey: z.string(),
  steps: z.array(z.looseObject({ op: z.string() })),
});

/** How a scenario went. */
export interface Outcome {
  readonly scenario: Pick<Scenario, 'id'>;
  /** `otherwise`: answered differently than the scenario says, exactly as decided. */
  readonly status: 'passed' | 'failed' | 'skipped' | 'otherwise';
  readonly reason?: string;
}

/**
 * Plays all scenarios of a folder with `scenarios.json` and models, in their order.
 * @throws Error when there is no such list; an entry that is no scenario fails on its own
 */
export async function* runFolder(folder: string): AsyncGenerator<Outcome> {
  for (const [index, entry] of (await readEntries(folder)).entries()) {
    const { success, error } = FORM.safeParse(entry);
    if (!success) {
      const id = (entry as Partial<Scenario> | null)?.id ?? `entry ${index}`;
      yield {
        scenario: { id },
        status: 'failed',
        reason: z.prettifyError(error).replaceAll('\n', ' '),
      };
      continue;
    }
    const scenario = entry as Scenario;
    const missing = scenario.requires?.find((feature) => !PROVIDED.has(feature));
    if (missing) yield { scenario, status: 'skipped', reason: `requires ${missing}` };
    else yield await runScenario(folder, scenario);
  }
}

async function runScenario(folder: string, scenario: Scenario): Promise<Outcome> {
  try {
    const definitions = await deploy(folder, scenario);
    const reason = play(scenario, definitions);
    const decision = DECIDED_OTHERWISE[scenario.id];
    if (decision && decision.failure === reason) {
      return { scenario, status: 'otherwise', reason: decision.reason };
    }
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
  for (const scenario of (await readEntries(folder)) as readonly Scenario[]) {
    loaded.push({ scenario, definitions: await deploy(folder, scenario) });
  }
  return loaded;
}

async function readEntries(folder: string): Promise<readonly unknown[]> {
  const path = join(folder, 'scenarios.json');
  try {
    return z.array(z.unknown()).parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it is no list' : (error as Error).message;
    throw new Error(`${path} holds no scenarios: ${reason}`, { cause: error });
  }
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
