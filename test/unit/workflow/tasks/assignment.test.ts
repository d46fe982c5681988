import { describe, expect, it } from 'vitest';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, bob, eve, operator, TASKS, type TasksApi } from './tasks-api.ts';

const REVIEW = aModel(
  aTask('Review', '', 'flowable:candidateGroups="clerks"') +
    `<planItem id="piNext" name="Next" definitionRef="Next"><entryCriterion id="c1" sentryRef="s1"/></planItem><humanTask id="Next" name="Next"/>${aSentry('s1', 'piReview')}`,
);
const PRESET = aModel(aTask('Review', '', 'flowable:assignee="ann"'));

const stateOf = async ({ get }: TasksApi, id: string) => {
  const { status, assignee, owner, delegationState, version } = (
    await get(`${TASKS}/${id}`, operator)
  ).body;
  return { status, assignee, owner, delegationState, version };
};

describe('claiming a task', () => {
  it('gives it to a candidate, who keeps it when asking again', async () => {
    const api = await aTasksApi([REVIEW]);
    const id = await api.aTaskId();

    const { status, body, headers } = await api.act('claim', id, ann);
    const again = await api.act('claim', id, ann);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      taskId: id,
      engineTaskId: id,
      status: 'CLAIMED',
      assignee: 'ann',
      allowedActions: ['unclaim', 'complete', 'saveDraft', 'delegate'],
      version: 2,
      engine: 'CMMN',
    });
    expect(headers.etag).toBe('"2"');
    expect([again.status, again.body.version]).toEqual([200, 2]);
  });

  it('is refused to another candidate by name of the assignee, and to others at all', async () => {
    const api = await aTasksApi([REVIEW]);
    const id = await api.aTaskId();
    await api.act('claim', id, ann);

    const late = await api.act('claim', id, bob);

    expect([late.status, late.body.code, late.body.assignee]).toEqual([
      409,
      'TASK_ALREADY_CLAIMED',
      'ann',
    ]);
    expect((await api.act('claim', id, eve)).body).toMatchObject({
      ...{ status: 403, code: 'FORBIDDEN' },
      detail: "The host's policy of tasks does not allow claim.",
    });
  });

  it('takes a task that the model has given to the caller', async () => {
    const api = await aTasksApi([PRESET]);
    const id = await api.aTaskId();
    expect(await stateOf(api, id)).toMatchObject({ status: 'PENDING', assignee: 'ann' });

    await api.act('claim', id, ann);

    expect(await stateOf(api, id)).toMatchObject({ status: 'CLAIMED', assignee: 'ann' });
  });

  it('works for one of two who ask at once', async () => {
    const api = await aTasksApi([REVIEW]);
    const id = await api.aTaskId();

    const answers = await Promise.all([api.act('claim', id, ann), api.act('claim', id, bob)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('demands the version that the caller has read', async () => {
    const api = await aTasksApi([REVIEW]);
    const id = await api.aTaskId();

    const stale = await api.act('claim', id, ann, {}, { 'if-match': '"7"' });
    const fresh = await api.act('claim', id, ann, {}, { 'if-match': '"1"' });

    expect([stale.status, stale.body.code]).toEqual([412, 'VERSION_CONFLICT']);
    expect(fresh.status).toBe(200);
  });

  it('is done once for a key, and answered again', async () => {
    const api = await aTasksApi([REVIEW]);
    const id = await api.aTaskId();
    const key = { 'idempotency-key': 'k1' };

    await api.act('claim', id, ann, {}, key);
    await api.act('unclaim', id, ann);
    const replay = await api.act('claim', id, ann, {}, key);

    expect(replay.headers['idempotency-replayed']).toBe('true');
    expect(await stateOf(api, id)).toMatchObject({ status: 'PENDING' });
  });

  it('finds no task of another tenant', async () => {
    const api = await aTasksApi([REVIEW]);
    const id = await api.aTaskId();

    const { status, body } = await api.act('claim', id, { ...ann, tenant: 'acme' });

    expect([status, body.code]).toEqual([404, 'TASK_NOT_FOUND']);
  });

  it('is refused where the host has no policy', async () => {
    const api = await aTasksApi([REVIEW], {
      host: { workflowTaskAuthorizationService: undefined },
    });
    const id = await api.aTaskId();

    expect((await api.act('claim', id, operator)).status).toBe(403);
    expect((await api.get(TASKS, operator)).status).toBe(403);
  });

  it('tells the policy which groups the resolver gives and which the token carries', async () => {
    const seen: unknown[] = [];
    const api = await aTasksApi([REVIEW], {
      host: {
        workflowTaskCandidateGroupResolver: { resolve: (_user, groups) => [...groups, 'unasked'] },
        workflowTaskAuthorizationService: {
          isAllowed: (operation, task, _principal, groups) => {
            seen.push([operation, task?.taskDefinitionKey, groups]);
            return true;
          },
        },
      },
    });
    const id = await api.aTaskId();

    const { body } = await api.act('claim', id, { sub: 'eve', roles: ['guest'], groups: ['hr'] });

    expect(body.assignee).toBe('eve');
    expect(seen).toEqual([['claim', 'Review', { resolved: ['clerks'], token: ['guest', 'hr'] }]]);
  });
});

describe('a claimed task', () => {
  const aClaimed = async () => {
    const api = await aTasksApi([REVIEW]);
    const id = await api.aTaskId();
    await api.act('claim', id, ann);
    return { ...api, id };
  };

  it('goes back to its candidates', async () => {
    const api = await aClaimed();

    expect((await api.act('unclaim', api.id, ann)).body).toMatchObject({ status: 'PENDING' });
    const again = await api.act('unclaim', api.id, operator);

    expect([again.status, again.body.code]).toEqual([409, 'TASK_NOT_CLAIMED']);
    expect((await api.act('claim', api.id, bob)).status).toBe(200);
  });

  it('is delegated, and given back', async () => {
    const api = await aClaimed();

    const delegated = await api.act('delegate', api.id, ann, { toUserId: 'eve' });
    expect(delegated.body).toMatchObject({
      status: 'DELEGATED',
      assignee: 'eve',
      owner: 'ann',
      delegationState: 'PENDING',
    });
    const byOwner = await api.act('complete', api.id, ann);
    const resolved = await api.act('resolve', api.id, eve, { comment: 'please look again' });

    expect([byOwner.status, byOwner.body.code]).toEqual([409, 'TASK_DELEGATED']);
    expect(resolved.body).toMatchObject({
      status: 'CLAIMED',
      assignee: 'ann',
      delegationState: 'RESOLVED',
    });
    const late = await api.act('resolve', api.id, ann);
    expect([late.status, late.body.code]).toEqual([409, 'TASK_NOT_DELEGATED']);
  });

  it('is completed by its delegate, in one step with giving it back', async () => {
    const api = await aClaimed();
    await api.act('delegate', api.id, ann, { assignee: 'eve' });

    const { status, body } = await api.act('complete', api.id, eve);

    expect(status).toBe(200);
    expect(body.task).toMatchObject({
      ...{ status: 'COMPLETED', completedBy: 'eve', owner: 'ann', delegationState: 'RESOLVED' },
    });
    const history = await api.get(`${TASKS}/${api.id}/history`, eve);
    expect((history.body.content as { action: string }[]).map(({ action }) => action)).toEqual([
      ...['complete', 'resolve', 'delegate', 'claim'],
    ]);
  });

  it.each([
    [{ assignee: 'ann' }, 422, 'DELEGATED_TO_ONESELF'],
    [{}, 400, 'VALIDATION_FAILED'],
    [{ assignee: 'a', userId: 'b' }, 400, 'VALIDATION_FAILED'],
  ])('is not delegated by %j', async (body, status, code) => {
    const api = await aClaimed();

    const answer = await api.act('delegate', api.id, ann, body);

    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('is delegated only by who has it, and not twice', async () => {
    const api = await aClaimed();

    const others = await api.act('delegate', api.id, operator, { assignee: 'bob' });
    await api.act('delegate', api.id, ann, { assignee: 'eve' });
    const twice = await api.act('delegate', api.id, eve, { assignee: 'bob' });

    expect([others.status, others.body.code]).toEqual([409, 'TASK_NOT_CLAIMED']);
    expect([twice.status, twice.body.code]).toEqual([409, 'TASK_DELEGATED']);
  });

  it('goes only to users whom the repository of the host knows', async () => {
    const found = { id: 'u1', userName: 'eve', status: 'ENABLED' };
    const userRepository = {
      findById: async () => undefined,
      findByUsername: async (name: string) => (name === 'eve' ? found : undefined),
    } as never;
    const api = await aTasksApi([REVIEW], { host: { userRepository } });
    const id = await api.aTaskId();
    await api.act('claim', id, ann);

    const unknown = await api.act('delegate', id, ann, { assignee: 'nobody' });

    expect([unknown.status, unknown.body.code]).toEqual([422, 'USER_UNKNOWN']);
    expect((await api.act('delegate', id, ann, { assignee: 'eve' })).status).toBe(200);
  });

  it.each([
    ['bob.acme', 200],
    ['u-acme', 200],
    ['op', 200],
    ['bob.other', 422],
    ['u-other', 422],
  ])('goes to users of its tenant and of none: %s %i', async (assignee, status) => {
    const accounts = [
      { id: 'u-acme', userName: 'bob.acme', tenant: 'acme' },
      { id: 'u-other', userName: 'bob.other', tenant: 'other' },
      { id: 'u-op', userName: 'op' },
    ].map((account) => ({ ...account, status: 'ENABLED' }));
    const userRepository = {
      findById: async (wanted: string) => accounts.find(({ id }) => id === wanted),
      findByUsername: async (wanted: string, tenant?: string) =>
        accounts.find((account) => account.userName === wanted && account.tenant === tenant),
    } as never;
    const api = await aTasksApi([REVIEW], { host: { userRepository } });
    const own = { ...ann, tenant: 'acme' };
    const id = await api.aTaskId({ tenantCode: 'acme' });
    await api.act('claim', id, own);

    expect((await api.act('delegate', id, own, { assignee })).status).toBe(status);
  });

  it('is assigned to somebody, and to nobody, by an administrator alone', async () => {
    const api = await aClaimed();

    expect((await api.act('assign', api.id, ann, { assignee: 'bob' })).status).toBe(403);
    await api.act('assign', api.id, operator, { assignee: 'bob' });
    expect(await stateOf(api, api.id)).toMatchObject({ status: 'CLAIMED', assignee: 'bob' });
    await api.act('assign', api.id, operator, { assignee: null });
    expect(await stateOf(api, api.id)).toMatchObject({ status: 'PENDING', assignee: undefined });
  });

  it('is changed by an administrator', async () => {
    const api = await aClaimed();
    const dueDate = '2026-05-01T00:00:00.000Z';
    const patch = (body: object) =>
      api.call({ method: 'PATCH', path: `${TASKS}/${api.id}`, body, caller: operator });

    const { body } = await patch({ name: 'Look', dueDate, priority: 80 });
    expect(body).toMatchObject({ name: 'Look', dueDate, priority: 80, version: 3 });
    expect((await patch({ dueDate: null })).body.dueDate).toBeUndefined();
    expect((await patch({})).status).toBe(400);
  });

  it('tells its story, also in the history of its case', async () => {
    const api = await aClaimed();
    const { body } = await api.get(`${TASKS}/${api.id}`, ann);

    const own = await api.get(`${TASKS}/${api.id}/history`, ann);
    const [newest] = await api.caseHistory(String(body.caseInstanceId));

    expect(own.body.content).toMatchObject([
      {
        action: 'claim',
        by: 'ann',
        changes: [
          { name: 'status', value: 'CLAIMED', oldValue: 'PENDING' },
          { name: 'assignee', value: 'ann' },
        ],
      },
    ]);
    expect(newest).toMatchObject({
      by: 'ann',
      command: { type: 'claimTask', planItemInstanceId: api.id },
    });
  });

  it('does nothing while its case is suspended', async () => {
    const api = await aClaimed();
    const { body } = await api.get(`${TASKS}/${api.id}`, ann);
    await api.post(`/api/v1/workflow/cmmn/cases/${body.caseInstanceId}:suspend`, {}, operator);

    const { status, body: refused } = await api.act('complete', api.id, ann);

    expect([status, refused.code, refused.taskStatus]).toEqual([
      ...[409, 'TASK_NOT_ACTIVE', 'SUSPENDED'],
    ]);
    await api.post(`/api/v1/workflow/cmmn/cases/${body.caseInstanceId}:resume`, {}, operator);
    expect((await api.act('complete', api.id, ann)).status).toBe(200);
  });

  it('is known by its assignee to the expressions of its case', async () => {
    const model = aModel(
      aTask('Review', '', 'flowable:candidateGroups="clerks" flowable:priority="10"') +
        `<planItem id="piNext" name="Next" definitionRef="Next"><entryCriterion id="c1" sentryRef="s1"/></planItem><humanTask id="Next" name="Next of \${planItemInstances.definitionId('Review').count()}" flowable:assignee="\${who}"/>${aSentry('s1', 'piReview')}`,
    );
    const api = await aTasksApi([model]);
    const id = await api.aTaskId();
    await api.act('claim', id, ann);

    const { body } = await api.act('complete', id, ann, { variables: { who: 'ann' } });

    expect(body.nextTasks).toMatchObject([{ assignee: 'ann', status: 'PENDING' }]);
    const left = api.world.items('CASE#').filter(({ sk }) => String(sk).startsWith('LIVE#TASK#'));
    expect(left).toEqual([]);
  });
});
