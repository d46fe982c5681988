import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { ALL_STATES, CaseUse } from '../../../../functions/workflow/store/case-use.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

/** What a query costs in time (ms). */
const QUERY_MS = 500;
const instant = (ms: number): string => new Date(ms).toISOString();

/** Index entries of ended cases of a version of `loan`. */
const endedCases = (deploymentId: string, count: number, startedAt = instant(0)) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ pk: `CASE#${deploymentId}-${at}`, sk: 'LIVE#HEAD', summary: { deploymentId } },
    ...{ gsi1pk: 'CASE##loan#completed', gsi1sk: `${startedAt}#${deploymentId}-${at}` },
  }));

describe('the deletion of a version of which there are few cases among many', () => {
  it('is a job whose steps read as much as there is time for, and comes to its end', async () => {
    const world = workflowWorld();
    const deploy = { workflowCode: 'loan', xml: caseXml() };
    const { body } = await world.post('/deployments', deploy);
    await world.post('/cases', { workflowCode: 'loan' });
    world.context.db.load(endedCases('other', 14_000));
    let looked = 0;
    world.context.db.before('Query', ({ input }) => {
      if (input.FilterExpression === undefined) return;
      looked += 1;
      world.context.machineClock.advance(QUERY_MS);
    });
    const queries = async (work: () => Promise<unknown>) => {
      looked = 0;
      await work();
      return looked;
    };

    let location = '';
    const inRequest = await queries(async () => {
      const path = `/deployments/${String(body.deploymentId)}?cascade=true`;
      location = String((await world.delete(path)).headers.location);
    });
    const inSweeps: number[] = [];
    let job: Readonly<Record<string, unknown>> = {};
    while (!['DONE', 'FAILED'].includes(String(job.state)) && inSweeps.length < 20) {
      inSweeps.push(await queries(() => world.runTask('workflow.sweep')));
      job = (await world.call({ method: 'GET', path: location })).body;
    }

    expect(job).toMatchObject({ state: 'DONE', processed: 1, total: 1 });
    expect(inRequest).toBeLessThan(26);
    expect(inSweeps.length).toBeGreaterThan(3);
    expect(Math.max(...inSweeps)).toBeLessThan(40);
    expect(world.context.db.items().filter(({ sk }) => sk === 'LIVE#HEAD')).toHaveLength(14_000);
  });

  it('reads no cases that were started before it was deployed', async () => {
    const { table, unitOfWork, db } = aContext({ module: 'workflow' });
    const deployedAt = Date.parse('2026-03-01T09:30:00.000Z');
    const deploymentId = v7({ msecs: deployedAt });
    db.load(endedCases('older', 4_000, instant(deployedAt - 2 * 3_600_000)));
    db.load(endedCases(deploymentId, 3, instant(deployedAt + 1)));
    const caseUse = new CaseUse({ table, unitOfWork });
    const deployed = { deploymentId, tenantCode: '', workflowCode: 'loan' };

    const found: string[] = [];
    let place: Parameters<CaseUse['casesFrom']>[1];
    let queries = 0;
    do {
      const { ids, next } = await caseUse.casesFrom(deployed, place);
      found.push(...ids);
      place = next;
      queries += 1;
    } while (place);

    expect(found).toHaveLength(3);
    expect(queries).toBe(ALL_STATES.length);
    expect(await caseUse.hasCases(deployed, ['completed'])).toBe(true);
  });
});
