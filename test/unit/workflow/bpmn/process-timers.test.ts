// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { ann, aProcessApi, operator, PROCESSES } from './processes-api.ts';

const TIMERS = '/api/v1/workflow/cmmn/timers';
const HOUR = 3_600_000;
const after = (duration: string): string =>
  `<timerEventDefinition><timeDuration>${duration}</timeDuration></timerEventDefinition>`;

/** A task with two reminders that leave it open, and one timer that ends it. */
const XML = bpmnXml(
  `<startEvent id="s"/>${userTask('work')}
  <boundaryEvent id="soon" attachedToRef="work" cancelActivity="false">${after('PT1H')}</boundaryEvent>
  <boundaryEvent id="later" attachedToRef="work" cancelActivity="false">${after('PT2H')}</boundaryEvent>
  <boundaryEvent id="late" attachedToRef="work">${after('PT3H')}</boundaryEvent>
  ${userTask('remind')}${userTask('warn')}${userTask('end')}
  ${chain('s', 'work')}${chain('soon', 'remind')}${chain('later', 'warn')}${chain('late', 'end')}`,
);

async function aWorld(xml = XML) {
  const api = await aProcessApi(xml);
  const { context, runTask, services } = api;
  const { schedules, machineClock } = context;
  return {
    ...api,
    advance: (hours: number) => machineClock.advance(hours * HOUR),
    sweep: () => services().timers.sweep.run(),
    /** Lets the schedules that are due call their tasks. */
    ring: async () => {
      for (const { task, input } of schedules.takeDue(machineClock.now()))
        await runTask(task, input);
    },
    scheduled: () =>
      [...schedules.waiting.values()].map(({ at }) => new Date(at).toISOString().slice(11, 16)),
    fired: () =>
      api.events('workflow.timer.fired').map(({ planItemDefinitionKey: key }) => String(key)),
    rows: () => context.db.items().filter(({ type }) => type === 'timer'),
  };
}

describe('a timer of a process', () => {
  it('fires by its schedule, of which an instance has one: the next', async () => {
    const { start, ring, advance, scheduled, waiting, fired, context } = await aWorld();
    const { id } = await start();
    const [first] = [scheduled()];

    advance(1);
    await ring();

    expect(first).toEqual(['10:30']);
    expect(scheduled()).toEqual(['11:30']);
    expect(await waiting(id)).toEqual(['late', 'later', 'remind', 'work']);
    advance(2);
    await ring();
    expect(fired()).toEqual(['soon', 'later', 'late']);
    expect(await waiting(id)).toEqual(['end', 'remind', 'warn']);
    expect(context.schedules.waiting.size).toBe(0);
  });

  it('that is lost by the scheduler fires with the sweep, which another environment runs', async () => {
    const { start, sweep, advance, waiting, fired, context, rows } = await aWorld();
    const { id } = await start();
    context.schedules.waiting.clear();
    advance(4);

    const { fired: count } = await sweep();

    expect(count).toBe(3);
    expect(fired()).toEqual(['soon', 'later', 'late']);
    expect(await waiting(id)).toEqual(['end', 'remind', 'warn']);
    expect(rows()).toEqual([]);
  });

  it('that is fired twice, late, or beside a sweep fires once', async () => {
    const { start, sweep, runTask, advance, fired, waiting } = await aWorld();
    const { id } = await start();
    const fire = () => runTask('workflow.fire-timers', { familyId: id });
    const early = await fire();
    advance(1);

    await Promise.all([fire(), sweep(), fire(), sweep()]);

    expect(early).toMatchObject({ fired: 0 });
    expect(await fire()).toMatchObject({ fired: 0, failed: 0 });
    expect(fired()).toEqual(['soon']);
    expect((await waiting(id)).filter((each) => each === 'remind')).toHaveLength(1);
  });

  it('fires once when the answer to its commit is lost, or the process dies before it', async () => {
    const { start, sweep, runTask, advance, context, waiting, rows } = await aWorld();
    const { id } = await start();
    const fire = () => runTask('workflow.fire-timers', { familyId: id });
    advance(1);
    context.db.failNext('answer-lost', { operation: 'TransactWriteItems' });
    await fire();
    advance(1);
    context.db.failNext('internal', { operation: 'TransactWriteItems', times: 5 });
    await fire();
    for (let minutes = 0; minutes < 5 && rows().length > 1; minutes += 1) {
      context.machineClock.advance(60_000);
      await sweep().catch(() => undefined);
    }

    // Its event may be left to the relay, whose row is written with the commit.
    expect(await waiting(id)).toEqual(['late', 'remind', 'warn', 'work']);
  });

  it('loses its schedule with its task, and while the process is suspended', async () => {
    const { start, send, scheduled, rows } = await aWorld();
    const { id, activities } = await start();
    await send('POST', `${PROCESSES}/${id}/suspend`, {});
    const suspended = [scheduled(), rows().length];
    await send('POST', `${PROCESSES}/${id}/resume`, {});
    const resumed = [scheduled(), rows().length];

    const taskId = activities.find(({ activityId }) => activityId === 'work')?.taskId;
    await send('POST', `/api/v1/tasks/${taskId}/complete`, {}, ann);

    expect([suspended, resumed, [scheduled(), rows().length]]).toEqual([
      [[], 0],
      [['10:30'], 3],
      [[], 0],
    ]);
  });

  it('whose way fails is given up in the end, shown, and fires when its cause is mended', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><intermediateCatchEvent id="t">${after('PT1H')}</intermediateCatchEvent>
      <exclusiveGateway id="g"/>${userTask('a')}${chain('s', 't', 'g')}${flow('g', 'a', '${amount > 100}')}`,
    );
    const { start, send, sweep, advance, waiting } = await aWorld(xml);
    const { id } = await start({ amount: 1 });
    const failed = async () =>
      (await send('GET', `${TIMERS}?caseInstanceId=${id}&state=FAILED`)).body.content as {
        id: string;
      }[];
    for (let tries = 0; tries < 8; tries += 1) {
      advance(1);
      await sweep();
    }

    const [timer] = await failed();
    expect(timer).toMatchObject({
      ...{ state: 'FAILED', attempts: 8, name: 't' },
      lastError: expect.stringContaining('PROCESS_FAILED'),
    });
    await send('PUT', `${PROCESSES}/${id}/variables`, { amount: 200 });
    const retried = await send('POST', `${TIMERS}/${timer?.id}:retry`);
    expect([retried.status, await waiting(id), await failed()]).toEqual([200, ['a'], []]);
  });

  it('is listed with its process, for those who see that', async () => {
    const { start, send } = await aWorld();
    const { id } = await start();
    const list = (caller = operator) =>
      send('GET', `${TIMERS}?caseInstanceId=${id}`, undefined, caller);

    const names = ((await list()).body.content as { name: string }[]).map(({ name }) => name);

    expect(names).toEqual(['soon', 'later', 'late']);
    expect((await list({ ...operator, tenant: 'acme' })).status).toBe(404);
  });
});
