import { describe, expect, it, vi } from 'vitest';
import { CaseCommands } from '../../../../functions/workflow/cases/case-commands.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { stageAdvance } from '../../../../shared/store/tenant-clock.ts';
import { testSecurity } from '../../../helpers/api/test-tokens.ts';
import { aTimer, aTimerWorld, HOUR, MINUTE } from './timer-world.ts';

/** A timer whose firing leads to an error until a variable is there. */
const BROKEN = `${aTimer('A', 'PT10M')}<planItem id="piBad" name="Bad" definitionRef="Bad"><entryCriterion id="onBad" sentryRef="whenA"/></planItem>
<humanTask id="Bad" name="Bad" flowable:assignee="\${person}"/>`;

const acme = { sub: 'ann', roles: ['admin'], tenant: 'acme' };

type World = Awaited<ReturnType<typeof aTimerWorld>>;

async function failForGood({ sweep, advance }: World): Promise<void> {
  for (let hours = 0; hours < 12; hours += 1) {
    await sweep();
    advance(HOUR);
  }
}

/** Every read of a case fails as one of a hot partition does. */
function busyFor({ context }: World, caseInstanceId: string): () => void {
  return context.db.before('Query', (request) => {
    if (JSON.stringify(request).includes(caseInstanceId)) {
      throw Object.assign(new Error('slow down'), {
        name: 'ThrottlingException',
        $fault: 'client',
      });
    }
  });
}

async function aBrokenTimer() {
  const world = await aTimerWorld(BROKEN);
  const id = await world.start();
  world.advance(11 * MINUTE);
  const first = await world.sweep();
  const listed = async (query = '') => {
    const { body } = await world.get(`/timers${query}`);
    return body.content as {
      id: string;
      caseInstanceId: string;
      attempts: number;
      nextTryAt?: string;
    }[];
  };
  return { world, id, first, listed };
}

describe('a timer that cannot be fired', () => {
  it('is tried again with growing pauses, and is listed as failed in the end', async () => {
    const { world, first, listed } = await aBrokenTimer();
    const pauses: number[] = [];
    for (let hours = 0; hours < 12 && (await listed('?state=FAILED')).length === 0; ) {
      const [timer] = await listed();
      const next = Date.parse(timer?.nextTryAt ?? '') - world.context.machineClock.now();
      pauses.push(next / MINUTE);
      world.advance(next - 1);
      expect((await world.sweep()).failed).toBe(0);
      world.advance(1);
      expect((await world.sweep()).failed).toBe(1);
      hours += 1;
    }

    expect(first).toMatchObject({ fired: 0, failed: 1 });
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60]);
    expect(await listed('?state=FAILED')).toMatchObject([
      {
        name: 'A',
        attempts: 8,
        state: 'FAILED',
        lastError: expect.stringContaining('EXPRESSION_ERROR'),
      },
    ]);
    world.advance(100 * HOUR);
    expect((await world.sweep()).failed).toBe(0);
  });

  it('is out of the way of sweeps once it has failed, is listed, and fires or goes with its case', async () => {
    const { world, id, listed } = await aBrokenTimer();
    const other = await world.start();
    await failForGood(world);
    const failed = await listed('?state=FAILED');
    const { meter } = world.context.db;

    const { requests } = await meter.costOf(() => world.sweep());
    await world.services().cases.actions.setVariables(id, { person: 'bob' }, { ...anOperator });
    const ofCase = failed.find((timer) => timer.caseInstanceId === id);
    const retried = await world.post(`/timers/${ofCase?.id}:retry`);
    await world.post(`/cases/${other}:terminate`, {});

    expect(failed).toHaveLength(2);
    expect(requests.filter((request) => /^Query [1-9]/.test(request))).toEqual([]);
    expect(await listed(`?state=FAILED&caseInstanceId=${id}`)).toEqual([]);
    expect(retried.body).toMatchObject({ state: 'FIRED' });
    expect(world.rows()).toEqual([]);
  });

  it('because the table is busy is not given up, and costs no other timer its turn', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M') + aTimer('B', 'PT20M'));
    const id = await world.start();
    const other = await world.start();
    world.advance(HOUR);
    const revive = busyFor(world, id);
    for (let sweeps = 0; sweeps < 12; sweeps += 1) {
      await world.sweep();
      world.advance(2 * MINUTE);
    }
    const during = [await world.tasks(other), world.fired()];
    revive();

    await world.sweep();

    expect(during).toEqual([
      ['Stay', 'DoA', 'DoB'],
      ['A', 'B'],
    ]);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoA', 'DoB']);
    expect(world.rows()).toEqual([]);
  });

  it('because other commands came first each time is tried again by the next sweep', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M'));
    const id = await world.start();
    world.advance(11 * MINUTE);
    const give = vi.spyOn(CaseCommands.prototype, 'give');
    give.mockRejectedValueOnce(httpProblems.concurrentUpdate());

    const overtaken = await world.sweep();
    const next = await world.sweep();
    give.mockRestore();

    expect([overtaken, next]).toMatchObject([
      { fired: 0, failed: 1 },
      { fired: 1, failed: 0 },
    ]);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoA']);
    expect(world.rows()).toEqual([]);
  });

  it('holds up no other timer', async () => {
    const { world } = await aBrokenTimer();
    const other = await world.start({ person: 'bob' });
    world.advance(11 * MINUTE);

    await world.sweep();

    expect(await world.tasks(other)).toContain('DoA');
  });

  it('fires when somebody asks for it, once there is nothing in its way', async () => {
    const { world, id, listed } = await aBrokenTimer();
    const [timer] = await listed(`?caseInstanceId=${id}`);
    const inVain = await world.post(`/timers/${timer?.id}:retry`);
    await world.services().cases.actions.setVariables(id, { person: 'bob' }, { ...anOperator });

    const retried = await world.post(`/timers/${timer?.id}:retry`);
    const again = await world.post(`/timers/${timer?.id}:retry`);

    expect(inVain).toMatchObject({ status: 200, body: { state: 'PENDING', attempts: 1 } });
    expect(retried).toMatchObject({ status: 200, body: { state: 'FIRED', name: 'A' } });
    expect(again).toMatchObject({ status: 404, body: { code: 'TIMER_NOT_FOUND' } });
    expect(await world.tasks(id)).toEqual(['Stay', 'DoA', 'Bad']);
    expect(world.rows()).toEqual([]);
  });
});

const anOperator = {
  ...{ id: 'op', username: 'op', authenticated: true, roles: [], groups: [], permissions: [] },
  claims: {},
};

describe('GET /workflow/cmmn/timers', () => {
  it('lists those of a case and of the tenant by due time, page by page', async () => {
    const world = await aTimerWorld(
      aTimer('B', 'PT2H') + aTimer('A', 'PT1H') + aTimer('C', 'PT3H'),
    );
    const id = await world.start();
    await world.start();

    const ofCase = await world.get(`/timers?caseInstanceId=${id}&size=2`);
    const rest = await world.get(
      `/timers?caseInstanceId=${id}&size=2&cursor=${ofCase.body.nextCursor}`,
    );
    const all = await world.get('/timers');

    expect(ofCase.body.content).toMatchObject([
      { name: 'A', caseInstanceId: id, dueAt: '2026-03-01T10:30:00.000Z', state: 'PENDING' },
      { name: 'B' },
    ]);
    expect(rest.body).toMatchObject({ content: [{ name: 'C' }], nextCursor: null });
    expect((all.body.content as { name: string }[]).map(({ name }) => name).join('')).toBe(
      'AABBCC',
    );
  });

  it('shows a tenant nothing of another one', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT1H'));
    const id = await world.start();
    const { body } = await world.get('/timers');
    const [timer] = body.content as { id: string }[];
    world.advance(2 * HOUR);

    const answers = [
      await world.get('/timers', { caller: acme }),
      await world.get(`/timers?caseInstanceId=${id}`, { caller: acme }),
      await world.get('/timers?tenantCode=other', { caller: acme }),
      await world.post(`/timers/${timer?.id}:retry`, undefined, { caller: acme }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 403, 404]);
    expect(answers[0]?.body.content).toEqual([]);
  });

  it.each(['nothing', 'a.b', '.1', `x.${'9'.repeat(15)}`])('knows no timer %s', async (id) => {
    const world = await aTimerWorld(aTimer('A', 'PT1H'));

    const { status, body } = await world.post(`/timers/${id}:retry`);

    expect([status, body.code]).toEqual([404, 'TIMER_NOT_FOUND']);
  });

  it('fires none before it is due', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT1H'));
    const id = await world.start();
    const { body } = await world.get('/timers');
    const [timer] = body.content as { id: string }[];

    const answer = await world.post(`/timers/${timer?.id}:retry`);

    expect(answer).toMatchObject({ status: 409, body: { code: 'TIMER_NOT_DUE' } });
    expect(await world.tasks(id)).toEqual(['Stay']);
  });
});

describe('the clock of a tenant', () => {
  it('fires by clock:advance what is due then, in order, and moves the time of cases', async () => {
    const world = await aTimerWorld(aTimer('Every', 'R3/PT20M') + aTimer('Once', 'PT30M'));
    const id = await world.start();

    const { status, body } = await world.post('/clock:advance', { duration: 'PT50M' });

    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ tenant: null, now: '2026-03-01T10:20:00.000Z', fired: 3, failed: 0, truncated: false },
    });
    expect(world.fired()).toEqual(['Every', 'Once', 'Every']);
    const later = await world.get(`/cases/${id}`);
    expect(later.body.planItems).toContainEqual(
      expect.objectContaining({ name: 'Every', dueAt: '2026-03-01T10:30:00.000Z' }),
    );
  });

  it('stands when clock:advance stops it: nothing fires by the clock of the machine', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT1H') + aTimer('B', 'PT61M'));
    const by = { duration: 'PT0.001S', stop: true };
    await world.post('/clock:advance', by, { caller: acme });
    await world.post('/cases', { workflowCode: 'loan' }, { caller: acme });
    world.advance(3 * HOUR);
    await world.sweep();
    expect(world.fired()).toEqual([]);

    const { body } = await world.post('/clock:advance', { duration: 'PT1H' }, { caller: acme });

    expect(body).toMatchObject({ fired: 1, now: '2026-03-01T10:30:00.001Z' });
    expect(world.fired()).toEqual(['A']);
  });

  it('stands for callers of a tenant only', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT1H'));

    const { status, body } = await world.post('/clock:advance', { duration: 'PT1H', stop: true });

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: '/stop', code: 'TENANT_MISSING' }]);
    expect(world.fired()).toEqual([]);
  });

  it('leaves leases of external work alone, which go by the clock of the machine', async () => {
    const work =
      '<planItem id="piWork" definitionRef="Work"/><task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post"/>';
    const world = await aTimerWorld(aTimer('A', 'PT1H') + work);
    await world.start();
    const fetch = async (workerId: string) => {
      const { body } = await world.post('/external-work:fetch', { topic: 'post', workerId });
      return body.works as readonly { readonly id: string; readonly leaseUntil: string }[];
    };
    const [leased] = await fetch('w1');

    await world.post('/clock:advance', { duration: 'PT2H' });

    expect(await fetch('w2')).toEqual([]);
    const path = `/external-work/${leased?.id}:complete`;
    expect((await world.post(path, { workerId: 'w1' })).status).toBe(204);
    expect(leased?.leaseUntil).toBe('2026-03-01T09:31:00.000Z');
  });

  it('leaves other tenants alone', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT1H'));
    const id = await world.start();

    const { body } = await world.post('/clock:advance', { duration: 'PT2H' }, { caller: acme });
    await world.sweep();

    expect(body).toMatchObject({ tenant: 'acme', fired: 0 });
    expect(await world.tasks(id)).toEqual(['Stay']);
  });

  it('is followed by the sweep when it was advanced elsewhere', async () => {
    const world = await aTimerWorld(aTimer('A', 'P40D'));
    const { body } = await world.post('/cases', { workflowCode: 'loan' }, { caller: acme });
    const { context } = world;
    await context.unitOfWork(async (unit) =>
      stageAdvance(unit, 'acme', { ms: 41 * 24 * HOUR }, () => new Error('too far')),
    );

    const { fired } = await world.sweep();

    expect(fired).toBe(1);
    const { body: found } = await world.get(`/cases/${body.caseInstanceId}`, { caller: acme });
    expect((found.tasks as { name: string }[]).map(({ name }) => name)).toEqual(['Stay', 'DoA']);
  });

  it.each(['-PT1H', 'soon', 'P400D', '0s'])('is not advanced by %s', async (duration) => {
    const world = await aTimerWorld(aTimer('A', 'PT1H'));

    const { status, body } = await world.post('/clock:advance', { duration });

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: '/duration' }]);
  });

  it('cannot be advanced where tests may not', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT1H'), { security: testSecurity });

    const { status } = await world.post('/clock:advance', { duration: 'PT1H' });

    expect(status).toBe(404);
  });
});
