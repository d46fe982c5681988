import { describe, expect, it } from 'vitest';
import { TimerSchedules } from '../../../../functions/workflow/timers/timer-schedules.ts';
import { aCaseWorld, aUser } from '../../../helpers/cases/case-world.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { aTimer, aTimerWorld, HOUR, MINUTE } from './timer-world.ts';

type World = Awaited<ReturnType<typeof aTimerWorld>>;

/** Lets the schedules that are due call their tasks, as Scheduler does. */
async function ring(world: World): Promise<unknown[]> {
  const { schedules, machineClock } = world.context;
  const answers: unknown[] = [];
  for (const { task, input } of schedules.takeDue(machineClock.now())) {
    answers.push(await world.runTask(task, input));
  }
  return answers;
}

const dueTimes = ({ context }: World) =>
  [...context.schedules.waiting.values()].map(({ at }) => new Date(at).toISOString().slice(11, 19));

describe('a timer that is due', () => {
  it('fires by its schedule, without a sweep', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M'));
    const id = await world.start();
    const scheduled = [...world.context.schedules.waiting.values()];
    world.advance(10 * MINUTE);

    const answers = await ring(world);

    expect(scheduled).toMatchObject([{ task: 'workflow.fire-timers', input: { familyId: id } }]);
    expect(answers).toMatchObject([{ fired: 1, failed: 0 }]);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoSoon']);
    expect(world.rows()).toEqual([]);
    expect(world.context.schedules.waiting.size).toBe(0);
  });

  it('has one schedule with the others of its family: the next one, whatever their number', async () => {
    const timers = Array.from({ length: 20 }, (_, at) => aTimer(`T${at}`, `PT${at + 1}H`));
    const world = await aTimerWorld(timers.join(''));
    const id = await world.start();
    const first = dueTimes(world);
    world.advance(HOUR);
    await ring(world);

    expect(first).toEqual(['10:30:00']);
    expect(dueTimes(world)).toEqual(['11:30:00']);
    expect(world.context.schedules.calls).toHaveLength(2);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoT0']);
  });

  it('and repeats itself has a schedule for each time', async () => {
    const world = await aTimerWorld(aTimer('Every', 'R3/PT10M'));
    await world.start();
    for (let times = 0; times < 4; times += 1) {
      world.advance(10 * MINUTE);
      await ring(world);
    }

    expect(world.fired()).toEqual(['Every', 'Every', 'Every']);
    expect(world.context.schedules.calls.map((call) => call.split(' ')[0])).toEqual([
      'create',
      'create',
      'create',
    ]);
  });

  it('when it is set fires at once', async () => {
    const world = await aTimerWorld(aTimer('Past', '2020-01-01T00:00:00Z'));
    const id = await world.start();
    world.advance(1_000);

    await ring(world);

    expect(await world.tasks(id)).toEqual(['Stay', 'DoPast']);
  });

  it('fires in the next whole second, never before', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT1.5S'));
    const id = await world.start();
    const [schedule] = world.context.schedules.waiting.values();
    world.advance((schedule?.at ?? 0) - world.context.machineClock.now());

    await ring(world);

    expect(await world.tasks(id)).toEqual(['Stay', 'DoSoon']);
  });

  it('loses its schedule with its case, and a new one when the case is resumed', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M'));
    const id = await world.start();
    await world.post(`/cases/${id}:suspend`, {});
    const suspended = dueTimes(world);
    await world.post(`/cases/${id}:resume`, {});
    const resumed = dueTimes(world);
    await world.post(`/cases/${id}:terminate`, {});

    expect([suspended, resumed, dueTimes(world)]).toEqual([[], ['09:40:00'], []]);
  });

  it('has a schedule by the clock of the machine, however far its tenant is ahead', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'P2DT10M'));
    await world.post('/clock:advance', { duration: 'P1D' });
    await world.start();

    const [schedule] = world.context.schedules.waiting.values();

    expect(new Date(schedule?.at ?? 0).toISOString()).toBe('2026-03-03T09:40:00.000Z');
  });
});

describe('a schedule', () => {
  it('that is lost delays its timer to the next sweep', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M'));
    const id = await world.start();
    world.context.schedules.waiting.clear();
    world.advance(10 * MINUTE);

    const { fired } = await world.sweep();

    expect(fired).toBe(1);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoSoon']);
  });

  it('that fires twice, late, beside a sweep or for nobody fires its timer once', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M'));
    const id = await world.start();
    const fire = (familyId: string) => world.runTask('workflow.fire-timers', { familyId });
    const early = await fire(id);
    world.advance(10 * MINUTE);

    await Promise.all([fire(id), world.sweep(), fire(id)]);
    const late = await fire(id);
    const nobody = await fire('nobody');

    expect([early, late, nobody]).toMatchObject([{ fired: 0 }, { fired: 0 }, { fired: 0 }]);
    expect(world.fired()).toEqual(['Soon']);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoSoon']);
  });

  it('that cannot be made fails no request, and none is tried again at once', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M'));
    const { schedules, log } = world.context;
    schedules.mode = 'down';

    const ids = [await world.start(), await world.start()];

    expect(schedules.calls).toHaveLength(1);
    expect(log.named('Timers are left to the sweep')).toHaveLength(1);
    world.advance(10 * MINUTE);
    await world.sweep();
    for (const id of ids) expect(await world.tasks(id)).toEqual(['Stay', 'DoSoon']);
    schedules.mode = 'up';
    await world.start();
    expect(dueTimes(world)).toHaveLength(1);
  });

  it('that gets no answer holds up a request for a limited time', async () => {
    const calls: TimerSchedules[] = [];
    const { context, ...world } = await aCaseWorld([aModel(aTimer('Soon', 'PT10M'))], {
      afterCommit: async (done) => calls[0]?.follow(done),
    });
    context.schedules.mode = 'hanging';
    calls.push(new TimerSchedules({ ...context, limitMs: 5 }, 'fire'));

    await world.starter.start({ workflowCode: 'theCase' }, aUser('ann'));

    expect(context.schedules.calls).toHaveLength(1);
    expect(context.log.named('Timers are left to the sweep')).toHaveLength(1);
  });

  it('is asked for by commands that move timers only', async () => {
    const world = await aTimerWorld(aTask('Other') + aTimer('Soon', 'PT10M'));
    const id = await world.start();
    const [before] = [world.context.schedules.calls.length];

    await world.post(`/cases/${id}/variables`, { variables: { a: 1 } });
    await world.post(`/cases/${id}:evaluate`, {});

    expect(world.context.schedules.calls).toHaveLength(before);
  });
});
