import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { DECIDED_OTHERWISE } from './decided-otherwise.ts';
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

/** Plays one scenario of a folder. @returns what went wrong, or undefined. */
export type Player = (folder: string, scenario: Scenario) => Promise<string | undefined>;

/**
 * One run for each entry of a folder, or for those with some ids; they may run at the same time.
 * @throws Error when there is no such list
 */
export async function outcomesOf(
  folder: string,
  player: Player,
  ids?: readonly string[],
): Promise<readonly (() => Promise<Outcome>)[]> {
  const entries = (await readEntries(folder)).filter(
    (entry) => !ids || ids.includes((entry as Partial<Scenario>).id ?? ''),
  );
  return entries.map((entry, index) => async (): Promise<Outcome> => {
    const { success, error } = FORM.safeParse(entry);
    if (!success) {
      const id = (entry as Partial<Scenario> | null)?.id ?? `entry ${index}`;
      const reason = z.prettifyError(error).replaceAll('\n', ' ');
      return { scenario: { id }, status: 'failed', reason };
    }
    const scenario = entry as Scenario;
    const missing = scenario.requires?.find((feature) => !PROVIDED.has(feature));
    if (missing) return { scenario, status: 'skipped', reason: `requires ${missing}` };
    return runScenario(folder, scenario, player);
  });
}

async function runScenario(folder: string, scenario: Scenario, player: Player): Promise<Outcome> {
  try {
    const reason = await player(folder, scenario);
    const decision = DECIDED_OTHERWISE[scenario.id];
    if (decision && decision.failure === reason) {
      return { scenario, status: 'otherwise', reason: decision.reason };
    }
    return { scenario, status: reason ? 'failed' : 'passed', reason };
  } catch (error) {
    return { scenario, status: 'failed', reason: (error as Error).message };
  }
}

/** @throws Error when there is no list of scenarios */
export async function readEntries(folder: string): Promise<readonly unknown[]> {
  const path = join(folder, 'scenarios.json');
  try {
    return z.array(z.unknown()).parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it is no list' : (error as Error).message;
    throw new Error(`${path} holds no scenarios: ${reason}`, { cause: error });
  }
}
