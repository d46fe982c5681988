import { beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import type { RequestFault } from '../../../helpers/workflow/failing-requests.ts';
import { aFamilyWorld, STEPS } from './interrupted-family.ts';

type World = Awaited<ReturnType<typeof aFamilyWorld>>;
type Facts = ReturnType<World['facts']>;

/** What a step that has been done already may answer when it is asked for again. */
const DONE_ALREADY: readonly unknown[] = [
  ...['CASE_EXISTS', 'CASE_NOT_ACTIVE', 'CASE_NOT_FOUND', 'CASE_SUSPENDED', 'CASE_NOT_SUSPENDED'],
  ...['TASK_NOT_ACTIVE', 'EXTERNAL_WORK_NOT_FOUND'],
];

interface Found {
  readonly facts: Facts;
  readonly requests: number;
}

/** Gives a step. @returns whether it has to be given again */
async function give(world: World, step: string): Promise<boolean> {
  try {
    const answer = await STEPS[step]?.(world);
    return answer !== undefined && answer.status >= 500;
  } catch {
    return true;
  }
}

/** Carries out all steps, each with a fault at its n-th request; what failed is given again once others have taken over. */
async function journey(calm: Map<string, Found>, fault: RequestFault, nth: number) {
  const world = await aFamilyWorld();
  const found = new Map<string, Found>();
  let before: Facts | undefined;
  for (const step of Object.keys(STEPS)) {
    world.requests.arm(fault, nth);
    const hasFailed = await give(world, step);
    const requests = world.requests.count;
    world.requests.disarm();
    await world.recover();
    const { history } = world.facts();
    const wanted = calm.get(step)?.facts.history;
    const isDone = same(history, wanted) && !same(history, before?.history);
    if (hasFailed && !isDone) {
      const again = await STEPS[step]?.(world);
      if (again && again.status >= 300) expect(DONE_ALREADY).toContain(again.body.code);
      await world.recover();
    }
    before = world.facts();
    found.set(step, { facts: before, requests });
  }
  return found;
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const NEVER = Number.POSITIVE_INFINITY;

/** The second request of each step; `PROPERTY_RUNS=100` tries all of them. */
describe('steps of a family, each with a request that goes wrong', () => {
  let calm: Map<string, Found>;
  let most = 0;
  beforeAll(async () => {
    calm = await journey(new Map(), 'failed', NEVER);
    most = Math.max(...[...calm.values()].map(({ requests }) => requests));
  });

  it.each(['killed', 'lost', 'failed'] as const)(
    'lead to the same in the end: %s',
    {
      timeout: 600_000,
    },
    async (fault) => {
      for (let at = 0; at < Math.min(most, propertyRuns(1)); at += 1) {
        const nth = ((at + 1) % most) + 1;
        for (const [step, { facts }] of await journey(calm, fault, nth)) {
          expect(facts, `${step}, request ${nth}`).toEqual(calm.get(step)?.facts);
          expect(facts.isInSequence).toBe(true);
        }
      }
    },
  );
});
