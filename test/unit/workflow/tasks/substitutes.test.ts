import { describe, expect, it } from 'vitest';
import { claimsTaskAuthorization } from '../../../../shared/host/claims-policies.ts';
import type { Host } from '../../../../shared/host/host.ts';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, type Body, eve, operator, TASKS, type TasksApi } from './tasks-api.ts';

const OWN = `${TASKS}/substitute`;
const DAY = 86_400_000;
const CLERKS = 'flowable:candidateGroups="clerks"';
const MODEL = aModel(
  [
    aTask('Check', '', CLERKS),
    aTask('Approve', '', `${CLERKS} flowable:excludeCompletersOf="Check"`),
    aTask('Offer', '', 'flowable:candidateUsers="ann.clerk"'),
  ].join(''),
);
const annToo: TestClaims = { ...ann, preferred_username: 'ann.clerk' };
const zoe: TestClaims = { sub: 'zoe' };

/** A case of which ann has a task, and eve stands in for ann from in one day to in three. */
async function anAbsence(host: Partial<Host> = {}) {
  const api = await aTasksApi([MODEL], { host });
  const { clock } = api.context;
  const at = (days: number) => new Date(clock.now() + days * DAY).toISOString();
  const put = (caller: TestClaims, body: object, path = OWN) =>
    api.call({ method: 'PUT', path, body, caller });
  const remove = (caller: TestClaims, path = OWN) => api.call({ method: 'DELETE', path, caller });
  const { tasks, caseInstanceId } = await api.start();
  const taskOf = (key: string): string =>
    String((tasks as readonly Body[]).find(({ name }) => name === key)?.taskId);
  await api.act('claim', taskOf('Check'), annToo);
  const period = { from: at(1), until: at(3) };
  const named = await put(annToo, { substitute: 'eve', ...period });
  const wait = (days: number) => api.context.machineClock.advance(days * DAY);
  return { ...api, at, put, remove, taskOf, period, named, wait, caseInstanceId };
}

/** From now on nobody writes until so many want to. */
function writeTogether({ world: { db } }: Pick<TasksApi, 'world'>, count: number): void {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  db.before('TransactWriteItems', () => {
    waiting += 1;
    if (waiting === count) all.resolve();
    return all.promise;
  });
}

describe('a substitute', () => {
  it('is named for a period, shown and dismissed', async () => {
    const { named, period, get, remove, wait, put } = await anAbsence();
    const given = { user: 'ann', substitute: 'eve', ...period, setBy: 'ann' };
    const absences = async () => (await get(`${OWN}/absences`, eve)).body.content;

    expect([named.status, named.body]).toEqual([200, { ...given, setAt: expect.any(String) }]);
    expect((await get(OWN, annToo)).body).toMatchObject(given);
    expect(await absences()).toEqual([]);
    wait(1);
    expect(await absences()).toMatchObject([given]);
    await put(annToo, { substitute: 'zoe', until: period.until });
    expect(await absences()).toEqual([]);
    expect((await remove(annToo)).status).toBe(204);
    const gone = await get(OWN, annToo);
    expect([gone.status, gone.body.code]).toEqual([404, 'SUBSTITUTE_NOT_FOUND']);
  });

  it('finds the tasks of the absent user within the period only', async () => {
    const { list, wait, taskOf } = await anAbsence();
    const theirs = [taskOf('Check'), taskOf('Offer')].sort();

    expect(await list('', eve)).toEqual([]);
    wait(1);
    expect((await list('', eve)).sort()).toEqual(theirs);
    expect((await list('?sort=dueDate', eve)).sort()).toEqual(theirs);
    expect(await list('?assignee=ann', eve)).toEqual([taskOf('Check')]);
    expect(await list('?assignee=me', eve)).toEqual([]);
    expect(await list('', zoe)).toEqual([]);
    wait(2);
    expect(await list('', eve)).toEqual([]);
  });

  it('completes, claims and hands on for the absent user, which the history tells', async () => {
    const { act, get, wait, taskOf, caseHistory, caseInstanceId } = await anAbsence();
    const check = taskOf('Check');
    const early = await act('complete', check, eve);
    wait(1);

    const seen = await get(`${TASKS}/${check}`, eve);
    const claimed = await act('claim', taskOf('Offer'), eve);
    const done = await act('complete', check, eve, { outcome: 'yes' });

    expect([early.status, seen.status]).toEqual([403, 200]);
    expect(seen.body.allowedActions).toContain('complete');
    expect(claimed.body).toMatchObject({ assignee: 'eve', status: 'CLAIMED' });
    expect(done.body.task).toMatchObject({
      status: 'COMPLETED',
      assignee: 'ann',
      completedBy: 'eve',
    });
    const history = await get(`${TASKS}/${check}/history`, annToo);
    expect((history.body.content as readonly Body[])[0]).toMatchObject({
      ...{ action: 'complete', by: 'eve', onBehalfOf: 'ann' },
    });
    const commands = (await caseHistory(String(caseInstanceId))).map(({ command }) => command);
    expect(commands.slice(0, 2)).toMatchObject([
      { type: 'completeTask', onBehalfOf: 'ann' },
      { type: 'claimTask', onBehalfOf: 'ann' },
    ]);
  });

  it('lists nothing of an absent user whom the policy lets nobody stand in for', async () => {
    const isAllowed: typeof claimsTaskAuthorization.isAllowed = (
      operation,
      task,
      principal,
      groups,
    ) =>
      !groups?.onBehalfOf?.includes('ann') &&
      claimsTaskAuthorization.isAllowed(operation, task, principal, groups);
    const { list, wait, put, at, taskOf, get, post, start } = await anAbsence({
      workflowTaskAuthorizationService: { isAllowed },
    });
    const about = { entityType: 'order', entityId: '1' };
    await start(about);
    await put(zoe, { substitute: 'eve', until: at(5) });
    await post(`${TASKS}/${taskOf('Approve')}/assign`, { assignee: 'zoe' }, operator);
    wait(1);

    expect(await list('', eve)).toEqual([taskOf('Approve')]);
    expect(await list('?sort=dueDate', eve)).toEqual([taskOf('Approve')]);
    expect(await list('/by-entity/order/1/active', eve)).toEqual([]);
    expect((await get(`${TASKS}?assignee=ann`, eve)).status).toBe(403);
    expect((await get(`${TASKS}/count`, eve)).body).toMatchObject({ count: 1 });
  });

  it('takes over what the absent user has claimed', async () => {
    const { act, wait, taskOf, list } = await anAbsence();
    wait(1);

    const claimed = await act('claim', taskOf('Check'), eve);

    expect([claimed.status, claimed.body.assignee]).toEqual([200, 'eve']);
    wait(2);
    expect(await list('', eve)).toEqual([taskOf('Check')]);
    expect((await act('complete', taskOf('Check'), eve)).status).toBe(200);
  });

  it('counts as both where four eyes are kept apart', async () => {
    const { act, wait, taskOf } = await anAbsence();
    wait(1);
    await act('complete', taskOf('Check'), eve);

    for (const assignee of ['ann', 'ann.clerk', 'eve']) {
      const { status, body } = await act('assign', taskOf('Approve'), operator, { assignee });

      expect([status, body.code]).toEqual([422, 'COMPLETER_EXCLUDED']);
    }
    expect((await act('assign', taskOf('Approve'), operator, { assignee: 'bob' })).status).toBe(
      200,
    );
  });

  it('does not pass on those for whom they stand in', async () => {
    const { act, put, wait, taskOf, list, at } = await anAbsence();
    await put(eve, { substitute: 'zoe', until: at(5) });
    wait(1);

    expect(await list('', zoe)).toEqual([]);
    expect((await act('complete', taskOf('Check'), zoe)).status).toBe(403);
  });

  it('is named for others by who may', async () => {
    const { put, get, remove, wait, at, act, taskOf } = await anAbsence();
    const path = `${TASKS}/substitutes/ann`;
    const body = { substitute: 'zoe', until: at(3) };

    expect((await put(eve, body, path)).status).toBe(403);
    expect((await get(path, eve)).status).toBe(403);
    expect((await put(operator, body, path)).body).toMatchObject({ user: 'ann', setBy: 'op' });
    expect((await get(path, operator)).body).toMatchObject({ substitute: 'zoe' });
    wait(1);
    expect((await act('complete', taskOf('Check'), eve)).status).toBe(403);
    expect((await act('complete', taskOf('Check'), zoe)).status).toBe(200);
    expect((await remove(operator, path)).status).toBe(204);
  });

  it('that others have named works under both names that the host knows of the absent user', async () => {
    const accounts = ['ann', 'zoe'].map((id) => ({
      id,
      userName: `${id}.clerk`,
      status: 'ENABLED',
    }));
    const userRepository = {
      findById: async (wanted: string) => accounts.find(({ id }) => id === wanted),
      findByUsername: async (wanted: string) => accounts.find((one) => one.userName === wanted),
    } as never;
    const { put, at, list, taskOf } = await anAbsence({ userRepository });
    const path = `${TASKS}/substitutes/ann`;

    const itself = await put(operator, { substitute: 'ann.clerk', until: at(3) }, path);
    await put(operator, { substitute: 'zoe', until: at(3) }, path);

    expect([itself.status, itself.body.code]).toEqual([422, 'SUBSTITUTE_IS_ONESELF']);
    expect((await list('', zoe)).sort()).toEqual([taskOf('Check'), taskOf('Offer')].sort());
  });

  it.each([
    [{ substitute: 'ann.clerk', until: 3 }, 422, 'SUBSTITUTE_IS_ONESELF'],
    [{ substitute: 'eve', until: -1 }, 400, 'VALIDATION_FAILED'],
    [{ substitute: 'eve', from: 4, until: 3 }, 400, 'VALIDATION_FAILED'],
    [{ substitute: 'eve' }, 400, 'VALIDATION_FAILED'],
  ])('is refused as %j', async (given, status, code) => {
    const { put, at } = await anAbsence();
    const days = Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'number' ? at(value) : value,
    ]);

    const answer = await put(annToo, Object.fromEntries(days));

    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('stands in for ten others at most, also when they name it at the same time', async () => {
    const { put, at, world } = await anAbsence();
    writeTogether({ world }, 20);
    const users = Array.from({ length: 20 }, (_, n): TestClaims => ({ sub: `u${n}` }));

    const answers = await Promise.all(
      users.map((user) => put(user, { substitute: 'zoe', until: at(2) })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ body }) => body.code === 'TOO_MANY_ABSENCES')).toHaveLength(10);
  });

  it('is nobody whom the user has replaced, also at the same time', async () => {
    const { put, at, get, remove, list, wait, taskOf, world } = await anAbsence();
    wait(1);
    writeTogether({ world }, 4);
    const named = ['eve', 'zoe', 'bob', 'kim'];

    await Promise.all(named.map((substitute) => put(annToo, { substitute, until: at(2) })));
    const { body } = await get(OWN, annToo);
    const finding = [];
    for (const sub of named) {
      if ((await list('', { sub })).includes(taskOf('Offer'))) finding.push(sub);
    }
    await remove(annToo);

    expect(finding).toEqual([body.substitute]);
    for (const sub of named) expect(await list('', { sub })).toEqual([]);
  });

  it('stands in for ten others at most, those whose time is over not among them', async () => {
    const { put, at, wait } = await anAbsence();
    const name = (days: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          put({ sub: `u${days}-${i}` }, { substitute: 'eve', until: at(days) }),
        ),
      );
    await name(5, 9);
    const [late] = await name(6, 1);
    wait(5);
    const [later] = await name(8, 1);

    expect([late?.status, late?.body.code]).toEqual([422, 'TOO_MANY_ABSENCES']);
    expect(later?.status).toBe(200);
  });

  it('costs a list one request, and none where nobody has named one', async () => {
    const costOf = async ({ context, get }: Pick<TasksApi, 'context' | 'get'>) => {
      await get(TASKS, zoe);
      const { requests } = await context.db.meter.costOf(() => get(TASKS, zoe));
      return requests.length;
    };
    const without = await aTasksApi([MODEL]);
    await without.start();

    expect(await costOf(await anAbsence())).toBe((await costOf(without)) + 1);
  });
});
