import { afterEach, describe, expect, it } from 'vitest';
import { aUser } from '../../../helpers/cases/case-world.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { type WorkflowWorld, workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const globals = globalThis as { SVC_FAULTS?: boolean; svcFault?: (point: string) => void };

afterEach(() => {
  delete globals.SVC_FAULTS;
  delete globals.svcFault;
});

const SETTLED_MS = 121_000;
const CALLS = `<planItem id="pi" definitionRef="calls" />
  <caseTask id="calls" caseRef="loan" />`;

async function deployed(world: WorkflowWorld, more: object = {}, rest = {}): Promise<string> {
  const body = { workflowCode: 'loan', xml: caseXml(), ...more };
  return String((await world.post('/deployments', body, rest)).body.deploymentId);
}

async function start(world: WorkflowWorld, body: object = {}, rest = {}): Promise<string> {
  const answer = await world.post('/cases', { workflowCode: 'loan', ...body }, rest);
  return String(answer.body.caseInstanceId);
}

async function startMany(world: WorkflowWorld, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await start(world);
}

const cascade = (world: WorkflowWorld, id: string, rest = {}) =>
  world.delete(`/deployments/${id}?cascade=true`, rest);

/** Sweeps until the job has ended. */
async function finished(world: WorkflowWorld, location: string) {
  for (let sweep = 0; sweep < 10; sweep += 1) {
    await world.runTask('workflow.sweep');
    const { body } = await world.call({ method: 'GET', path: location });
    if (!['WAITING', 'RUNNING', 'CANCELLING'].includes(String(body.state))) return body;
  }
  throw new Error('The job does not end');
}

const rowsOf = (world: WorkflowWorld, prefix: string) =>
  world.context.db
    .items()
    .map(({ pk }) => String(pk))
    .filter((pk) => pk.startsWith(prefix));

/** Items of cases and tasks, but for the groups of a tenant. */
const leftOfCases = (world: WorkflowWorld) =>
  [...rowsOf(world, 'CASE'), ...rowsOf(world, 'TASK')].filter((pk) => !/#GROUPS|@swept/.test(pk));

/** The process ends the n-th time that it comes to a point. */
function dieAt(world: WorkflowWorld, point: string, nth: number): () => void {
  let seen = 0;
  globals.SVC_FAULTS = true;
  globals.svcFault = (reached) => {
    if (reached !== point) return;
    seen += 1;
    if (seen < nth) return;
    world.context.db.failNext('network', { times: 1_000 });
    throw new Error('killed');
  };
  return () => {
    delete globals.svcFault;
    world.context.db.stopFailing();
  };
}

describe('DELETE /api/v1/workflow/cmmn/deployments/{id}?cascade', () => {
  it('ends and deletes few cases, open and ended, within the request', async () => {
    const world = workflowWorld({ mq: { transport: 'broker' } });
    const id = await deployed(world);
    await startMany(world, 3);
    const ended = await start(world);
    await world.post(`/cases/${ended}:terminate`, {});

    const refused = await world.delete(`/deployments/${id}`);
    const { status } = await cascade(world, id);

    expect([refused.status, refused.body.code]).toEqual([409, 'DEPLOYMENT_IN_USE']);
    expect(status).toBe(204);
    expect(leftOfCases(world)).toEqual([]);
    expect((await world.get(`/deployments/${id}`)).status).toBe(404);
    const told = world.topics().filter((topic) => topic === 'workflow.process.terminated');
    expect(told).toHaveLength(4);
    world.context.clock.advance(SETTLED_MS);
    await world.runTask('workflow.sweep');
    expect(world.storage.files.size).toBe(0);
  });

  it('takes cascade without a value, and leaves the cases of other versions', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    await start(world);
    await deployed(world, { xml: caseXml({ task: 'Look' }) });
    const other = await start(world);

    const { status } = await world.delete(`/deployments/${id}?cascade`);

    expect(status).toBe(204);
    const { body } = await world.get('/cases');
    expect(body.content).toMatchObject([{ caseInstanceId: other, state: 'active' }]);
  });

  it('leaves many cases to a job, which the sweep runs', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    await startMany(world, 12);

    const asked = await cascade(world, id);
    const again = await cascade(world, id);
    const whileWaiting = await world.post('/cases', { workflowCode: 'loan' });
    const location = String(asked.headers.location);
    const job = await finished(world, location);

    expect(asked).toMatchObject({ status: 202, body: { state: 'WAITING', processed: 0 } });
    expect(location).toBe(`/api/v1/workflow/cmmn/deployments/${id}/jobs/${String(asked.body.id)}`);
    expect(again.body).toEqual(asked.body);
    expect([whileWaiting.status, whileWaiting.body.code]).toEqual([409, 'NOT_PUBLISHED']);
    expect(job).toMatchObject({ state: 'DONE', processed: 12, total: 12 });
    expect(leftOfCases(world)).toEqual([]);
    expect((await world.get(`/deployments/${id}`)).status).toBe(404);
  });

  it('keeps the deployment, unpublished, when the job is cancelled', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    await startMany(world, 12);
    const location = String((await cascade(world, id)).headers.location);

    const cancelled = await world.call({ method: 'POST', path: `${location}:cancel` });
    const job = await finished(world, location);
    const late = await world.call({ method: 'POST', path: `${location}:cancel` });

    expect(cancelled).toMatchObject({ status: 202, body: { state: 'CANCELLING' } });
    expect(job).toMatchObject({ state: 'CANCELLED', processed: 0 });
    expect([late.status, late.body.code]).toEqual([409, 'DEPLOYMENT_JOB_ENDED']);
    expect((await world.get(`/deployments/${id}`)).body).toMatchObject({ status: 'DRAFT' });
    expect((await world.get('/cases')).body.content).toHaveLength(12);
  });

  it.each([
    ['between two cases', 'workflow.after-removed-case', 2],
    ['between the end and the deletion of a case', 'workflow.after-ended-case', 2],
    ['before the deployment goes', 'workflow.before-cascade-ends', 1],
  ])(
    'that is killed %s keeps the deployment, and goes on when asked again',
    async (_, point, nth) => {
      const world = workflowWorld();
      const id = await deployed(world);
      await startMany(world, 3);
      const live = dieAt(world, point, nth);

      const killed = await cascade(world, id);
      live();
      const between = await world.get(`/deployments/${id}`);
      const again = await cascade(world, id);
      world.context.clock.advance(SETTLED_MS);
      await world.runTask('workflow.sweep');

      expect(killed.status).toBeGreaterThanOrEqual(500);
      expect(between.body).toMatchObject({ status: 'DRAFT' });
      expect(again.status).toBe(204);
      expect(leftOfCases(world)).toEqual([]);
    },
  );

  it('as a job that is killed between two cases is taken up by the next sweep', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    await startMany(world, 12);
    const location = String((await cascade(world, id)).headers.location);
    await world.runTask('workflow.sweep');
    const live = dieAt(world, 'workflow.after-removed-case', 3);
    await world.runTask('workflow.sweep').catch(() => undefined);
    live();

    const between = await world.get(`/deployments/${id}`);
    const job = await finished(world, location);
    world.context.clock.advance(SETTLED_MS);
    await world.runTask('workflow.sweep');

    expect(between.status).toBe(200);
    expect(job.state).toBe('DONE');
    expect(leftOfCases(world)).toEqual([]);
  });

  it('as a job fails, with a reason, when one case cannot be deleted; the others go', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    await startMany(world, 12);
    const stuck = await start(world);
    await world.context.unitOfWork(async (unit) =>
      unit.put({ pk: `CASE#${stuck}`, sk: 'LIVE#STATE', version: 1, json: 'torn' }),
    );
    const location = String((await cascade(world, id)).headers.location);
    for (let sweep = 0; sweep < 6; sweep += 1) await world.runTask('workflow.sweep');
    const heads = world.context.db.items().filter(({ sk }) => sk === 'LIVE#HEAD');

    const job = await finished(world, location);

    expect(heads.map(({ pk }) => pk)).toEqual([`CASE#${stuck}`]);
    expect(job).toMatchObject({ state: 'FAILED', result: { code: 'INTERNAL_ERROR' } });
    expect(String((job.result as { detail: string }).detail)).toContain('10 steps');
  });

  it('as a job outlives a table that is out of reach for long', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    await startMany(world, 12);
    const location = String((await cascade(world, id)).headers.location);
    await world.runTask('workflow.sweep');
    const stop = world.context.db.before('TransactWriteItems', () => {
      throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    });
    for (let sweep = 0; sweep < 15; sweep += 1) {
      await world.runTask('workflow.sweep').catch(() => undefined);
    }
    stop();

    expect((await finished(world, location)).state).toBe('DONE');
  });

  it('refuses while a case of another deployment waits for one of its cases', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    const outer = caseXml({ key: 'outer', plan: CALLS });
    const outerId = await deployed(world, { workflowCode: 'outer', xml: outer });
    await start(world);
    const parent = await start(world, { workflowCode: 'outer' });

    const refused = await cascade(world, id);
    const kept = await world.get('/cases');
    const ofParent = await cascade(world, outerId);
    const after = await cascade(world, id);

    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'DEPLOYMENT_CASES_CALLED', calledBy: parent },
    });
    expect(kept.body.content).toHaveLength(3);
    expect([ofParent.status, after.status]).toEqual([204, 204]);
    expect(leftOfCases(world)).toEqual([]);
  });

  it('deletes the cases of every tenant that uses a deployment of none', async () => {
    const world = workflowWorld();
    const caller = { sub: 'demo', tenant: 'acme', permissions: ['workflow:definition:*'] };
    const id = await deployed(world);
    const theirs = await start(world, { tenantCode: 'acme' });

    const forbidden = await cascade(world, id, { caller });
    const { status } = await cascade(world, id);

    expect(forbidden.status).toBe(404);
    expect(status).toBe(204);
    expect((await world.get(`/cases/${theirs}`)).status).toBe(404);
    expect(leftOfCases(world)).toEqual([]);
  });

  it('deletes a case whose start has read the definition before', async () => {
    const world = workflowWorld();
    const id = await deployed(world);
    await start(world);
    const { cases, definitions } = world.services();
    const definition = await definitions.load(`${id}:loan`);
    if (!definition) throw new Error('Nothing is deployed');
    await cascade(world, id);
    const { caseInstanceId } = await cases.commands.start({
      ...{ principal: aUser('demo'), definition, facts: { tenantCode: '' } },
      command: { type: 'start', definitionId: definition.id, caseInstanceId: 'late' },
    });
    const there = await world.get(`/cases/${caseInstanceId}`);

    world.context.clock.advance(SETTLED_MS);
    await world.runTask('workflow.sweep');

    expect(there.status).toBe(200);
    expect(leftOfCases(world)).toEqual([]);
  });

  it.each([
    ['at once', 0],
    ['when its content is gone', SETTLED_MS],
  ])('is started by nobody %s, though an environment has it in memory', async (_, ms) => {
    const world = workflowWorld();
    const id = await deployed(world);
    await start(world);
    await cascade(world, id);
    world.context.clock.advance(ms);
    await world.runTask('workflow.sweep');

    const { status, body } = await world.post('/cases', { definitionId: `${id}:loan` });

    expect([status, body.code]).toEqual([404, 'WORKFLOW_NOT_FOUND']);
    expect(leftOfCases(world)).toEqual([]);
  });

  it('knows no job of another deployment', async () => {
    const world = workflowWorld();
    const [first, second] = [await deployed(world), await deployed(world, { name: 'Other' })];
    await startMany(world, 12);
    const { body } = await cascade(world, second);

    const other = await world.get(`/deployments/${first}/jobs/${String(body.id)}`);

    expect([other.status, other.body.code]).toEqual([404, 'DEPLOYMENT_JOB_NOT_FOUND']);
  });
});
