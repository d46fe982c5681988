import { describe, expect, it } from 'vitest';
import { createSettingsModule } from '../../../functions/settings/module.ts';
import { COMMAND_TOPIC } from '../../../functions/workflow/index.ts';
import { LAYOUT, layoutKey } from '../../../functions/workflow/store/readiness.ts';
import { memoryStorage } from '../../helpers/captured/memory-storage.ts';
import { caseXml } from '../../helpers/workflow/case-xml.ts';
import { workflowWorld } from '../../helpers/workflow/workflow-world.ts';
import { aContext, connect } from '../../helpers/world/a-context.ts';

/** A storage that does not answer while it is down, the workflow module over it, and `/health` of the platform. */
function aWorld() {
  const storage = memoryStorage();
  const bucket = { isDown: false, asked: 0 };
  const { get } = storage;
  const failing = {
    ...storage,
    get: async (path: string) => {
      bucket.asked += 1;
      if (bucket.isDown) throw new Error('The bucket does not answer');
      return get(path);
    },
  };
  const world = workflowWorld({}, failing);
  const settings = aContext({ module: 'settings', besides: world.context });
  const whole = { ...settings.environment, modulesOn: ['settings', 'workflow'] };
  const platform = connect(createSettingsModule, { ...settings, environment: whole });
  const health = async () => {
    const { status, body } = await platform.call({ method: 'GET', path: '/api/v1/health' });
    return { status, checks: body.checks };
  };
  const setLayout = (layout: number) =>
    world.context.unitOfWork(async (unit) => unit.put({ ...layoutKey, type: 'layout', layout }));
  return { world, bucket, health, setLayout };
}

const REFUSED = { status: 503, body: { code: 'CMMN_RUNTIME_NOT_READY' } };
const UP = { status: 200, checks: { table: 'UP' } };
const DOWN = { status: 503, checks: { table: 'UP', workflow: 'DOWN' } };

describe('the CMMN runtime', () => {
  it.each(['/cases', '/definitions', '/deployments', '/snapshots/loan', '/timers'])(
    'that is not ready answers GET %s with 503 and says when to retry',
    async (path) => {
      const { world, bucket } = aWorld();
      bucket.isDown = true;

      const answer = await world.get(path);

      expect(answer).toMatchObject(REFUSED);
      expect(answer.headers['retry-after']).toBe('5');
    },
  );

  it('answers 503 to changes and to tasks too, and works once its bucket answers', async () => {
    const { world, bucket, health } = aWorld();
    bucket.isDown = true;

    const refused = [
      await world.post('/validate', { xml: caseXml() }),
      await world.post('/cases', { workflowCode: 'loan' }),
      await world.call({ method: 'POST', path: '/api/v1/tasks/t/complete', body: {} }),
    ];
    const whileDown = await health();
    bucket.isDown = false;
    const deployed = await world.post('/deployments', { workflowCode: 'loan', xml: caseXml() });
    world.context.machineClock.advance(150_000);

    expect(refused).toMatchObject([REFUSED, REFUSED, REFUSED]);
    expect(whileDown).toEqual(DOWN);
    expect(deployed.status).toBe(201);
    expect(await health()).toEqual(UP);
  });

  it('is not ready for a layout that a later version has left, and is for its own', async () => {
    const { world, health, setLayout } = aWorld();
    await setLayout(LAYOUT + 1);

    const refused = await world.get('/cases');
    const whileUnknown = await health();
    await setLayout(LAYOUT);

    expect(refused).toMatchObject(REFUSED);
    expect(whileUnknown).toEqual(DOWN);
    expect((await world.get('/cases')).status).toBe(200);
  });

  it('is not ready while the table does not answer, which /health shows', async () => {
    const { world, health } = aWorld();
    const ups = ['GetItem', 'Query'].map((operation) =>
      world.context.db.before(operation, () => {
        throw new Error('The table does not answer');
      }),
    );

    const refused = await world.get('/cases');
    const shown = await health();
    for (const up of ups) up();

    expect(refused).toMatchObject(REFUSED);
    expect(shown).toEqual({ status: 503, checks: { table: 'DOWN' } });
    expect((await world.get('/cases')).status).toBe(200);
  });

  it('is checked once, and by each sweep, which reports', async () => {
    const { world, bucket, health } = aWorld();
    await Promise.all([world.get('/cases'), world.get('/cases'), world.get('/definitions')]);
    const asked = bucket.asked;
    bucket.isDown = true;

    const between = await world.get('/cases');
    const swept = await world.runTask('workflow.sweep').catch(({ code }) => code);

    expect(asked).toBe(1);
    expect(between.status).toBe(200);
    expect(swept).toBe('CMMN_RUNTIME_NOT_READY');
    expect(await health()).toEqual(DOWN);
  });

  it('that is not ready leaves commands in their queue', async () => {
    const { world, bucket } = aWorld();
    bucket.isDown = true;
    const user = { id: 'shop', permissions: ['workflow:case:add'] };
    const command = { command: 'startCase', user, body: { workflowCode: 'loan' } };
    await world.context.events.publish(COMMAND_TOPIC, null, command);

    const again = await world.deliver(...world.context.bus.events.map(({ envelope }) => envelope));

    expect(again).toHaveLength(1);
  });
});
