import { describe, expect, it } from 'vitest';
import { createRelayModule } from '../../../../functions/messaging/module.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const BROKER = { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } };
const ALL = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MODEL = aModel(
  `${aTask('Review', ALL, 'flowable:candidateGroups="clerks"')}<planItem id="piDone" definitionRef="Done"/><milestone id="Done" name="Done"/>`,
);

async function aWorld(svc: object = {}) {
  const world = workflowWorld({ ...BROKER, ...svc });
  await world.post('/deployments', { workflowCode: 'loan', xml: MODEL });
  world.context.bus.events.length = 0;
  const start = (all: readonly unknown[], businessKey = 'B1') =>
    world.post('/cases', { workflowCode: 'loan', businessKey, variables: { all, secret: 'hush' } });
  const sent = () => world.context.bus.events.map(({ envelope }) => envelope);
  return { world, start, sent };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('events of cases', () => {
  it('are sent with the case: numbered, under its id, with who and what, without variables', async () => {
    const { start, sent } = await aWorld();

    const { body } = await start([1]);

    expect(sent().map(({ type }) => type)).toEqual([
      'workflow.process.started',
      'workflow.task.created',
      'workflow.milestone.reached',
      'workflow.step.completed',
    ]);
    for (const [at, { subject: key, data }] of sent().entries()) {
      expect(key).toBe(body.caseInstanceId);
      expect(data).toMatchObject({
        ...{ tenantCode: '', workflowCode: 'loan', definitionVersion: 1, businessKey: 'B1' },
        ...{ caseInstanceId: body.caseInstanceId, actor: 'demo', sequence: at + 1 },
      });
    }
    expect(JSON.stringify(sent())).not.toContain('hush');
  });

  it('go on counting with the next command', async () => {
    const { world, start, sent } = await aWorld();
    const { body } = await start([1]);
    const before = sent().length;

    await world.post(`/cases/${body.caseInstanceId}:terminate`, {});

    const sequences = sent().map(({ data }) => (data as { sequence: number }).sequence);
    expect(sequences).toEqual(many(sequences.length).map((at) => at + 1));
    expect(
      sent()
        .slice(before)
        .map(({ type }) => type),
    ).toEqual(['workflow.process.terminated', 'workflow.task.cancelled']);
  });

  it('of more than a transaction takes come once each, all of them', async () => {
    const { world, start, sent } = await aWorld();

    await start(many(120));

    const created = sent().filter(({ type }) => type === 'workflow.task.created');
    expect(created).toHaveLength(120);
    expect(new Set(sent().map(({ id }) => id)).size).toBe(sent().length);
    expect(world.context.db.meter.requests.filter(({ items }) => items > 100)).toEqual([]);
  });

  it('are chosen by svc.workflow.events', async () => {
    const { start, sent } = await aWorld({ workflow: { events: ['workflow.step.started'] } });

    await start([1]);

    expect(sent().map(({ type }) => type)).toEqual([
      'workflow.step.started',
      'workflow.task.created',
      'workflow.step.started',
      'workflow.step.completed',
    ]);
  });

  it('are none without messaging, and the case starts all the same', async () => {
    const { start, sent } = await aWorld({ mq: { enabled: false } });

    const { status } = await start([1]);

    expect(status).toBe(201);
    expect(sent()).toEqual([]);
  });

  it('that could not be sent after the commit wait in the outbox, and the relay sends them once', async () => {
    const { world, start, sent } = await aWorld();
    const { context } = world;
    context.bus.mode = 'down';
    const { status } = await start([1]);
    const lost = sent();

    context.bus.mode = 'up';
    context.machineClock.advance(120_000);
    const besides = aContext({ module: 'messaging-relay', svc: BROKER, besides: context });
    const relay = connect(createRelayModule, besides);
    await relay.runTask('relay');
    await relay.runTask('relay');

    expect(status).toBe(201);
    expect(lost).toEqual([]);
    expect(
      sent()
        .map(({ data }) => (data as { sequence: number }).sequence)
        .sort(),
    ).toEqual([1, 2, 3, 4]);
  });
});
