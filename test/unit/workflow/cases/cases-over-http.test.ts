import { describe, expect, it } from 'vitest';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { aCasesApi, CASES } from './cases-api.ts';

type Api = Awaited<ReturnType<typeof aCasesApi>>;
type Listed = readonly Readonly<Record<string, unknown>>[];

/** A stage with a task that somebody starts by hand, a listener, a milestone, and an item that can be planned. */
const MODEL = aModel(`
<planningTable id="table"><discretionaryItem id="askExpert" name="Ask" definitionRef="Expert"/></planningTable>
${aTask('Review', '', 'flowable:candidateGroups="clerks"')}
<planItem id="piCall" name="Call" definitionRef="Call"><itemControl><manualActivationRule/></itemControl></planItem>
<task id="Call" name="Call"/>
<planItem id="piStage" name="Assess" definitionRef="Assess"/>
<stage id="Assess" name="Assess"><planItem id="piInner" name="Inner" definitionRef="Inner"/><task id="Inner" name="Inner"/></stage>
<planItem id="piDone" name="Reviewed" definitionRef="Done"><entryCriterion id="c1" sentryRef="s1"/></planItem>
<milestone id="Done" name="Reviewed" flowable:includeInStageOverview="true"/>
<planItem id="piNews" name="News" definitionRef="News"/>
<eventListener id="News" flowable:eventType="signal" flowable:signalRef="news"/>
<humanTask id="Expert" name="Expert"/>
${aSentry('s1', 'piReview')}`);

const itemsOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): Listed =>
  (body.planItems ?? body.content) as Listed;

async function aCase(more: object = {}) {
  const api = await aCasesApi([MODEL]);
  const id = await api.start(more);
  return { ...api, id, path: `${CASES}/${id}` };
}

describe('POST /workflow/cmmn/cases', () => {
  it('answers the case as it has come to rest', async () => {
    const { post } = await aCasesApi([MODEL]);

    const { status, body, headers } = await post(CASES, {
      workflowCode: 'theCase',
      businessKey: 'B-1',
      businessStatus: 'new',
      entityType: 'loan',
      entityId: '7',
      variables: { amount: 5 },
    });

    expect(status).toBe(201);
    expect(headers.location).toBe(`${CASES}/${body.caseInstanceId}`);
    expect(body).toMatchObject({
      workflowCode: 'theCase',
      caseDefinitionKey: 'theCase',
      definitionVersion: 1,
      businessKey: 'B-1',
      businessStatus: 'new',
      entityType: 'loan',
      entityId: '7',
      state: 'active',
      startedBy: 'demo',
      variables: { amount: 5 },
      tasks: [{ name: 'Review', status: 'PENDING', candidateGroups: ['clerks'] }],
      truncated: false,
      version: 1,
    });
    expect(itemsOf({ body }).map(({ name, state }) => `${name} ${state}`)).toEqual([
      'Review active',
      'Call enabled',
      'Assess active',
      'Reviewed available',
      'News available',
      'Inner active',
    ]);
  });

  it.each([
    [{ caseDefinitionKey: 'theCase' }, 201],
    [{ definitionId: 'd0:theCase' }, 201],
    [{ workflowCode: 'none' }, 404],
    [{ definitionId: 'none' }, 404],
    [{}, 400],
    [{ workflowCode: 'theCase', definitionId: 'd0:theCase' }, 400],
    [{ caseDefinitionKey: 'theCase', version: 1 }, 400],
    [{ workflowCode: 'theCase', entityType: 'loan' }, 400],
    [{ workflowCode: 'theCase', businessKey: 'ü'.repeat(128) }, 400],
    [{ workflowCode: 'theCase', variables: { caseInstance: 1 } }, 400],
    [{ workflowCode: 'theCase', variables: [] }, 400],
    [{ workflowCode: 'theCase', variables: { text: 'x'.repeat(300_000) } }, 413],
  ])('%j is answered with %i', async (body, expected) => {
    const { post } = await aCasesApi([MODEL]);

    const { status } = await post(CASES, body);

    expect(status).toBe(expected);
  });

  it('with an Idempotency-Key starts one case', async () => {
    const { post, items } = await aCasesApi([MODEL]);
    const start = () =>
      post(CASES, { workflowCode: 'theCase' }, undefined, { 'idempotency-key': 'k1' });

    const first = await start();
    const second = await start();

    expect(second.body).toEqual(first.body);
    expect(items('CASE#').filter(({ sk }) => sk === 'LIVE#STATE')).toHaveLength(1);
  });

  it('of a workflow that is not published is refused', async () => {
    const world = workflowWorld();
    const deployed = await world.post('/deployments', {
      workflowCode: 'loan',
      xml: MODEL,
      publish: false,
    });

    const { status, body } = await world.post('/cases', { workflowCode: 'loan' });

    expect([deployed.status, status, body.code]).toEqual([201, 409, 'NOT_PUBLISHED']);
  });

  it('of a tenant may be of a shared workflow, which then cannot be deleted', async () => {
    const world = workflowWorld();
    const { body: deployed } = await world.post('/deployments', {
      workflowCode: 'loan',
      xml: MODEL,
    });
    const caller = { sub: 'eve', tenant: 'acme', roles: ['admin'] };

    const { status, body } = await world.post('/cases', { workflowCode: 'loan' }, { caller });
    const deleted = await world.delete(`/deployments/${deployed.deploymentId}`);

    expect([status, body.tenantCode, deleted.status]).toEqual([201, 'acme', 409]);
  });

  it('is refused without the permission', async () => {
    const { post } = await aCasesApi([MODEL]);

    const { status } = await post(CASES, { workflowCode: 'theCase' }, { sub: 'eve' });

    expect(status).toBe(403);
  });
});

describe('GET /workflow/cmmn/cases/{id}', () => {
  it('shows what its commands have led to', async () => {
    const { get, id, path, commands, db } = await aCase();
    const task = db.items().find(({ type }) => type === 'task');
    await commands.give({
      caseInstanceId: id,
      principal: { ...SOMEBODY },
      command: () => ({ type: 'completeTask', planItemInstanceId: String(task?.taskId) }),
    });

    const { status, body } = await get(path);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      tasks: [],
      milestones: [{ name: 'Reviewed', planItemDefinitionKey: 'Done' }],
      version: 2,
    });
  });

  it('is a 404 for what there is not, and for what another tenant has', async () => {
    const { get, path } = await aCase();

    const answers = [
      await get(`${CASES}/none`),
      await get(path, { sub: 'eve', tenant: 'other', roles: ['admin'] }),
    ];

    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
      '404 CASE_NOT_FOUND',
      '404 CASE_NOT_FOUND',
    ]);
  });

  it('of a huge case shows the first 200 items and says so', async () => {
    const each = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
    const { start, get } = await aCasesApi([aModel(aTask('Each', each))], {
      limits: { maxCollectionSize: 300 },
    });
    const id = await start({ variables: { all: Array.from({ length: 250 }, (_, at) => at) } });

    const { body } = await get(`${CASES}/${id}`);
    const { body: rest } = await get(`${CASES}/${id}/plan-items?page=1&size=150`);

    expect(body).toMatchObject({ truncated: true });
    expect([itemsOf({ body }).length, (body.tasks as Listed).length]).toEqual([200, 200]);
    expect(rest).toMatchObject({ numberOfElements: 100, last: true });
  });
});

describe('POST /workflow/cmmn/cases/{id}/plan-items/{key}:verb', () => {
  const act = ({ post, path }: Pick<Api, 'post'> & { path: string }, verb: string, body?: object) =>
    post(`${path}/plan-items/${verb}`, body);

  it('starts, completes, disables, enables, terminates, suspends and resumes by key', async () => {
    const world = await aCase();
    const stateOf = async (name: string) => {
      const { body } = await world.get(world.path);
      return itemsOf({ body }).find((item) => item.name === name)?.state;
    };

    const states: unknown[] = [];
    for (const verb of ['disable', 'enable', 'start', 'suspend', 'resume', 'trigger']) {
      const { status } = await act(world, `Call:${verb}`);
      states.push([verb, status, await stateOf('Call')]);
    }

    expect(states).toEqual([
      ['disable', 200, 'disabled'],
      ['enable', 200, 'enabled'],
      ['start', 200, 'active'],
      ['suspend', 200, 'suspended'],
      ['resume', 200, 'active'],
      ['trigger', 200, undefined],
    ]);
  });

  it('completes a stage by force, and takes variables along', async () => {
    const world = await aCase();

    const refused = await act(world, 'Assess:complete');
    const done = await act(world, 'piStage:complete', { force: true, variables: { why: 'late' } });

    expect([refused.status, refused.body.code]).toEqual([409, 'PLAN_ITEM_NOT_TRIGGERABLE']);
    expect(done).toMatchObject({ status: 200, body: { variables: { why: 'late' } } });
    expect(itemsOf(done).map(({ name }) => name)).not.toContain('Inner');
  });

  it.each([
    ['Review:trigger', 409, 'USE_TASK_API'],
    ['Review:complete', 409, 'USE_TASK_API'],
    ['Done:trigger', 409, 'PLAN_ITEM_NOT_TRIGGERABLE'],
    ['Nothing:trigger', 404, 'PLAN_ITEM_NOT_FOUND'],
    ['Review:fly', 404, 'ROUTE_NOT_FOUND'],
  ])('%s is a %i %s', async (verb, status, code) => {
    const world = await aCase();

    const answer = await act(world, verb);

    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('asks which instance is meant when they accept it in different ways', async () => {
    const each =
      '<itemControl><repetitionRule flowable:collectionVariable="all"/><manualActivationRule/></itemControl>';
    const model = aModel(
      `<planItem id="piEach" name="Each" definitionRef="Each">${each}</planItem><task id="Each" name="Each"/>${aTask('Stay')}`,
    );
    const api = await aCasesApi([model]);
    const path = `${CASES}/${await api.start({ variables: { all: [1, 2] } })}`;
    await api.post(`${path}/plan-items/Each:start`);

    const asked = await api.post(`${path}/plan-items/Each:trigger`);
    const [, second] = asked.body.planItemInstanceIds as string[];
    const named = await api.post(`${path}/plan-items/Each:trigger`, { planItemInstanceId: second });

    expect([asked.status, asked.body.code]).toEqual([409, 'AMBIGUOUS_PLAN_ITEM']);
    expect(named.status).toBe(200);
  });
});

describe('actions on a case', () => {
  it('suspend, resume, terminate and reactivate follow each other', async () => {
    const { post, path } = await aCase();
    const verbs = ['suspend', 'evaluate', 'resume', 'complete', 'terminate', 'suspend'];

    const answers: string[] = [];
    for (const verb of verbs) {
      const { status, body } = await post(`${path}:${verb}`);
      answers.push(`${verb} ${status} ${body.code ?? body.state}`);
    }

    expect(answers).toEqual([
      'suspend 200 suspended',
      'evaluate 409 CASE_SUSPENDED',
      'resume 200 active',
      'complete 409 CASE_NOT_COMPLETABLE',
      'terminate 200 terminated',
      'suspend 409 CASE_NOT_ACTIVE',
    ]);
  });

  it('say in the history who has done it and why', async () => {
    const { post, get, path } = await aCase();
    await post(`${path}:terminate`, { reason: 'withdrawn' });

    const { body } = await get(`${path}/history`);

    const [last, first] = body.content as Listed;
    expect(last).toMatchObject({ by: 'demo', command: { type: 'terminate', reason: 'withdrawn' } });
    expect(last?.changes).toContainEqual(
      expect.objectContaining({ type: 'caseEnded', state: 'terminated' }),
    );
    expect(first).toMatchObject({ command: { type: 'start' } });
  });

  it('reactivate brings an ended case back', async () => {
    const model = aModel(
      `${aTask('Work')}<planItem id="piBack" definitionRef="Back"/><eventListener id="Back" flowable:eventType="reactivate"/>`,
    );
    const api = await aCasesApi([model]);
    const path = `${CASES}/${await api.start()}`;
    await api.post(`${path}:terminate`);

    const { status, body } = await api.post(`${path}:reactivate`, { variables: { again: true } });

    expect([status, body.state, body.variables]).toEqual([200, 'active', { again: true }]);
    expect((await api.get(`${CASES}?state=active`)).body.numberOfElements).toBe(1);
    expect((await api.get(`${CASES}?state=terminated`)).body.numberOfElements).toBe(0);
  });
});

describe('variables of a case', () => {
  it('are read, set and removed', async () => {
    const {
      get,
      put,
      delete: remove,
      path,
    } = await aCase({ variables: { a: 1, b: 2, c: 3, d: 4 } });

    const set = await put(`${path}/variables`, { variables: { b: { nested: [true] } } });
    const one = await remove(`${path}/variables/a`);
    const missing = await remove(`${path}/variables?name=c&name=none`);
    const several = await remove(`${path}/variables?name=c&name=d`);

    expect(set.body.variables).toEqual({ a: 1, b: { nested: [true] }, c: 3, d: 4 });
    expect([one.status, missing.status, several.status]).toEqual([204, 404, 204]);
    expect((await get(`${path}/variables`)).body).toEqual({ variables: { b: { nested: [true] } } });
  });
});

describe('questions about a case', () => {
  it('explain says what a plan item waits for', async () => {
    const { get, path } = await aCase();
    const items = itemsOf(await get(path));
    const waiting = items.find(({ name }) => name === 'Reviewed');

    const { body } = await get(`${path}/explain?planItemInstanceId=${waiting?.id}`);
    const unknown = await get(`${path}/explain?planItemInstanceId=none`);

    expect(body).toMatchObject({
      name: 'Reviewed',
      entryCriteria: [{ onParts: [{ source: 'piReview', isSeen: false }] }],
    });
    expect(unknown.body.code).toBe('PLAN_ITEM_NOT_FOUND');
  });

  it('stage-overview shows stages and milestones', async () => {
    const { get, path } = await aCase();

    const { body } = await get(`${path}/stage-overview`);

    expect(body.stages).toMatchObject([
      { name: 'Assess', isCurrent: true },
      { name: 'Reviewed', type: 'milestone', isEnded: false },
    ]);
  });

  it('plannable-items lists what :plan then plans', async () => {
    const { get, post, path } = await aCase();

    const { body } = await get(`${path}/plannable-items`);
    const planned = await post(`${path}:plan`, { discretionaryItemId: 'askExpert' });
    const unknown = await post(`${path}:plan`, { discretionaryItemId: 'none' });

    expect(body.items).toMatchObject([
      { discretionaryItemId: 'askExpert', definitionKey: 'Expert' },
    ]);
    expect(
      (planned.body.tasks as Listed).map(({ taskDefinitionKey }) => taskDefinitionKey),
    ).toEqual(['Review', 'Expert']);
    expect(unknown.status).toBe(409);
  });

  it('plan-items?ended=true lists what has ended', async () => {
    const { get, post, path } = await aCase();
    await post(`${path}/plan-items/Inner:trigger`);

    const { body } = await get(`${path}/plan-items?ended=true`);

    expect(body.content).toMatchObject([
      { name: 'Assess', state: 'completed' },
      { name: 'Inner', state: 'completed' },
    ]);
  });
});

const SOMEBODY = {
  id: 'ann',
  username: 'ann',
  authenticated: true,
  roles: [],
  groups: [],
  permissions: [],
  claims: {},
};
