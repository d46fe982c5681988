import { describe, expect, it } from 'vitest';
import { claimsTaskAuthorization } from '../../../../shared/host/claims-policies.ts';
import { testSecurity } from '../../../helpers/api/test-tokens.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const overBroker = { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } };
const SOON = 'workflow.task.due-soon';
const OVERDUE = 'workflow.task.overdue';

/** A case whose task is due after the duration, beside one that is never due. */
async function aDueTask(dueDate: string, svc: object = {}) {
  const given = { security: { ...testSecurity, 'test-clock': true }, mq: overBroker, ...svc };
  const host = { workflowTaskAuthorizationService: claimsTaskAuthorization };
  const world = workflowWorld(given, undefined, host);
  const { context, services, runTask } = world;
  const attributes = `flowable:dueDate="${dueDate}" flowable:assignee="mai"`;
  const xml = aModel(aTask('Pay', '', attributes) + aTask('Stay'));
  await world.post('/deployments', { workflowCode: 'loan', xml });
  const { body } = await world.post('/cases', { workflowCode: 'loan', businessKey: 'L-1' });
  const tasks = body.tasks as { name: string; taskId: string; dueDate?: string }[];
  const { taskId = '', dueDate: due } = tasks.find(({ name }) => name === 'Pay') ?? {};
  const told = () =>
    context.bus.events
      .filter(({ type }) => type === SOON || type === OVERDUE)
      .map(({ type, envelope }) => [type, (envelope.data as { taskId: string }).taskId]);
  const rows = () =>
    context.db.items().filter(({ pk, sk }) => String(pk).startsWith('TASKDUE#2') && sk);
  return {
    ...{ ...world, taskId, due, told, rows, caseId: String(body.caseInstanceId) },
    sweep: () => runTask('workflow.sweep', {}),
    reminders: () => services().reminders.run(),
    advance: (ms: number) => context.machineClock.advance(ms),
    change: (dueDate: string | null) =>
      services().tasks.commands.update({ taskId, principal: operator }, { dueDate }),
  };
}

const operator = {
  ...{ id: 'op', username: 'op', authenticated: true, roles: ['admin'] },
  ...{ groups: [], permissions: [], claims: {} },
};

describe('reminders of a task', () => {
  it('come once each: a day before it is due, and when it is', async () => {
    const { advance, sweep, told, taskId, context, rows } = await aDueTask('P3D');
    await sweep();
    advance(2 * DAY - 1_000);
    await sweep();
    expect(told()).toEqual([]);

    advance(2_000);
    await sweep();
    await sweep();
    expect(told()).toEqual([[SOON, taskId]]);

    advance(DAY);
    await sweep();
    await sweep();
    expect(told()).toEqual([
      [SOON, taskId],
      [OVERDUE, taskId],
    ]);
    expect(rows()).toEqual([]);
    const event = context.bus.events.find(({ type }) => type === OVERDUE)?.envelope.data;
    expect(event).toMatchObject({
      businessKey: 'L-1',
      assignee: 'mai',
      actor: 'system',
      name: 'Pay',
    });
    expect(event).not.toHaveProperty('sequence');
  });

  it('come at once for what has less time than that', async () => {
    const { sweep, told, taskId, advance } = await aDueTask('PT2H', {
      workflow: { 'due-soon-lead': '3h' },
    });
    await sweep();
    expect(told()).toEqual([[SOON, taskId]]);

    advance(3 * HOUR);
    await sweep();
    expect(told().map(([topic]) => topic)).toEqual([SOON, OVERDUE]);
  });

  it('come anew when the due date has moved, and not for the one before', async () => {
    const { advance, sweep, told, change, due, rows } = await aDueTask('P3D');
    advance(2 * DAY + 1_000);
    await sweep();
    const later = new Date(Date.parse(String(due)) + 5 * DAY).toISOString();
    await change(later);

    advance(2 * DAY);
    await sweep();
    expect(told().map(([topic]) => topic)).toEqual([SOON]);
    advance(4 * DAY);
    await sweep();
    expect(told().map(([topic]) => topic)).toEqual([SOON, SOON, OVERDUE]);
    expect(rows()).toEqual([]);
    await change(null);
    expect(rows()).toEqual([]);
  });

  it('end with the task and with its due date', async () => {
    const one = await aDueTask('P3D');
    const other = await aDueTask('P3D');
    await one.post(`/cases/${one.caseId}:terminate`, {});
    await other.change(null);

    for (const { advance, sweep, told, rows } of [one, other]) {
      expect(rows()).toEqual([]);
      advance(4 * DAY);
      await sweep();
      expect(told()).toEqual([]);
    }
  });

  it('are not lost with a function that dies, and not sent twice by two sweeps', async () => {
    const { advance, reminders, told, context, rows } = await aDueTask('PT1H');
    advance(2 * HOUR);
    const revive = context.db.before('TransactWriteItems', () => {
      throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    await reminders().catch(() => undefined);
    revive();
    expect(told()).toEqual([]);
    expect(rows().length).toBe(2);

    await Promise.all([reminders(), reminders()]);

    expect(
      told()
        .map(([topic]) => topic)
        .sort(),
    ).toEqual([SOON, OVERDUE]);
    expect(rows()).toEqual([]);
  });

  it('are found after a year without a sweep, by sweeps that end in time on a slow table', async () => {
    const { context, advance, reminders, told, taskId } = await aDueTask('P300D');
    await reminders();
    advance(365 * DAY);
    context.db.before('Query', () => advance(10));
    const took: number[] = [];

    for (let at = 0; at < 30; at += 1) {
      const start = context.machineClock.now();
      await reminders();
      took.push(context.machineClock.now() - start);
    }

    expect(Math.max(...took)).toBeLessThan(10_000);
    expect(told()).toEqual([
      [SOON, taskId],
      [OVERDUE, taskId],
    ]);
  });

  it('are found in hours that no sweep has looked at for days', async () => {
    const { advance, sweep, told } = await aDueTask('PT30H');
    await sweep();
    advance(6 * DAY);
    await sweep();

    expect(told().map(([topic]) => topic)).toEqual([SOON, OVERDUE]);
  });

  it('are none where messages are off', async () => {
    const { advance, reminders, context } = await aDueTask('PT1H', { mq: { enabled: false } });
    advance(2 * HOUR);
    context.db.meter.reset();

    expect(await reminders()).toBe(0);
    expect(context.db.meter.total().requests).toEqual([]);
    expect(context.bus.events).toEqual([]);
  });
});
