import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { execute } from '../../../../functions/workflow/domain/cmmn/index.ts';
import { caseXml, rateDmn } from '../../../helpers/workflow/case-xml.ts';
import { type WorkflowWorld, workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const deploy = async (world: WorkflowWorld, body: object) => {
  const answer = await world.post('/deployments', { workflowCode: 'loan', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as { deploymentId: string };
};

const reader = (world: WorkflowWorld) => world.services().definitions;

describe('the definitions of an environment', () => {
  it('are found by their id, their code and the key of a case', async () => {
    const world = workflowWorld();
    const { deploymentId } = await deploy(world, { xml: caseXml(), taskVariables: ['amount'] });

    const byId = await reader(world).load(`${deploymentId}:loan`);
    const byCode = await reader(world).newest('north', 'loan');
    const byKey = await reader(world).newestCase('', 'loan');

    expect(byId).toMatchObject({
      id: `${deploymentId}:loan`,
      definition: { key: 'loan' },
      deployment: { workflowCode: 'loan', version: 1, taskVariables: ['amount'] },
    });
    expect(byCode).toBe(byId);
    expect(byKey).toBe(byId);
    expect(await reader(world).newestCase('north', 'loan')).toBeUndefined();
    expect(await reader(world).load('x')).toBeUndefined();
    expect(await reader(world).load('x:y')).toBeUndefined();
  });

  it('are started by published versions only, and stay for their cases', async () => {
    const world = workflowWorld();
    const { deploymentId } = await deploy(world, { xml: caseXml() });
    await world.post('/definitions/loan:unpublish');

    expect(await reader(world).newest('', 'loan')).toBeUndefined();
    expect(await reader(world).newest('', 'loan', 1)).toBeUndefined();
    expect(await reader(world).isDeployed('north', 'loan', 1)).toBe(true);
    expect(await reader(world).isDeployed('', 'loan', 2)).toBe(false);
    expect(await reader(world).load(`${deploymentId}:loan`)).toMatchObject({ definition: {} });
  });

  it('of a tenant come before those of no tenant', async () => {
    const world = workflowWorld();
    await deploy(world, { xml: caseXml({ task: 'Shared' }) });
    await deploy(world, { xml: caseXml({ task: 'Own' }), tenantCode: 'north' });

    const own = await reader(world).newest('north', 'loan');
    const shared = await reader(world).newest('south', 'loan');

    expect([own?.deployment.tenantCode, shared?.deployment.tenantCode]).toEqual(['north', '']);
  });

  it('are read once', async () => {
    const world = workflowWorld();
    const { deploymentId } = await deploy(world, { xml: caseXml() });
    await reader(world).load(`${deploymentId}:loan`);
    const { meter } = world.context.db;
    const before = meter.requests.length;

    await Promise.all([
      reader(world).load(`${deploymentId}:loan`),
      reader(world).load(`${deploymentId}:loan`),
    ]);
    const warm = meter.requests.length - before;
    await reader(world).newest('', 'loan');

    expect([warm, meter.requests.length - before]).toEqual([0, 1]);
  });

  it('that are too large for an item lie in the bucket', async () => {
    const world = workflowWorld();
    const plan = Array.from({ length: 6_000 }, (_, at) => {
      // A text that does not compress.
      const name = createHash('sha512').update(String(at)).digest('base64');
      return `<planItem id="p${at}" definitionRef="t" name="${name}"/>`;
    }).join('');
    const xml = caseXml({ plan: `${plan}<task id="t"/>` });
    const { deploymentId } = await deploy(world, { xml });

    const paths = [...world.storage.files.keys()];
    const loaded = await reader(world).load(`${deploymentId}:loan`);
    const snapshot = await world.get('/snapshots/loan');

    expect(paths).toEqual(
      expect.arrayContaining(
        ['model.xml', 'model.json.gz', 'snapshot.json.gz'].map(
          (name) => `workflow/definitions/${deploymentId}/${name}`,
        ),
      ),
    );
    expect(loaded?.definition.planModel.planItems).toHaveLength(6_000);
    expect(snapshot.body.planItems).toHaveLength(6_000);
  });
});

describe('a call of the engine', () => {
  const environment = () => {
    let id = 0;
    return { now: 0, newId: () => `id-${++id}`, user: 'u' };
  };

  it('is given what its case calls: a case of the same deployment, one of another, a decision', async () => {
    const world = workflowWorld();
    await deploy(world, { workflowCode: 'shared', xml: caseXml({ key: 'shared' }) });
    await deploy(world, {
      xml: caseXml({
        plan: `<planItem id="p1" definitionRef="near" /><planItem id="p2" definitionRef="far" />
          <planItem id="p3" definitionRef="decide" />
          <caseTask id="near" caseRef="beside" flowable:sameDeployment="true" />
          <caseTask id="far" caseRef="shared" />
          <decisionTask id="decide" decisionRef="rate" />`,
      }),
      resources: [
        { name: 'beside.cmmn', xml: caseXml({ key: 'beside' }) },
        { name: 'rate.dmn', xml: rateDmn },
      ],
    });
    const loaded = await reader(world).newest('', 'loan');
    if (!loaded) throw new Error('It is not there');

    const result = await reader(world).run((definitions) =>
      execute(
        undefined,
        { type: 'start', definitionId: loaded.id, variables: { amount: 5_000 } },
        { ...environment(), definitions },
      ),
    );

    const started = result.effects.filter(({ type }) => type === 'caseStarted');
    expect(started.map((effect) => 'definitionKey' in effect && effect.definitionKey)).toEqual([
      'loan',
      'beside',
      'shared',
    ]);
    expect(JSON.stringify(result.state)).toContain('"rate":3');
  });

  it('passes on its errors', async () => {
    const world = workflowWorld();
    await deploy(world, { xml: caseXml() });

    await expect(
      reader(world).run(() => {
        throw new Error('of the engine');
      }),
    ).rejects.toThrow('of the engine');
  });
});
