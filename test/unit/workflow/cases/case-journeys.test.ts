import { describe, expect, it } from 'vitest';
import { aCaseWorld, aUser, type CaseWorld } from '../../../helpers/cases/case-world.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { aCasesApi, CASES } from './cases-api.ts';

type Listed = readonly Readonly<Record<string, unknown>>[];

const ann = aUser('ann');
const CMMN = '/api/v1/workflow/cmmn';

const aCase = async (model: string, more: object = {}) => {
  const api = await aCasesApi([model]);
  const id = await api.start(more);
  return { ...api, id, path: `${CASES}/${id}` };
};

const namesIn = (body: Readonly<Record<string, unknown>>) =>
  (body.planItems as Listed).map(({ name }) => name);

describe('POST /workflow/cmmn/cases/{id}/plan-items/{key}:terminate', () => {
  it('ends the plan item and what is in it, and cancels its tasks', async () => {
    const stage =
      '<planItem id="piStage" name="Assess" definitionRef="Assess"/><stage id="Assess" name="Assess"><planItem id="piIn" name="In" definitionRef="In"/><humanTask id="In" name="In"/></stage>';
    const { post, path, db } = await aCase(aModel(stage + aTask('Stay')));

    const { status, body } = await post(`${path}/plan-items/Assess:terminate`);

    expect([status, body.state, namesIn(body)]).toEqual([200, 'active', ['Stay']]);
    expect(db.items().find(({ type, name }) => type === 'task' && name === 'In')).toMatchObject({
      status: 'CANCELLED',
    });
  });
});

describe('POST /workflow/cmmn/cases/{id}:complete', () => {
  const MODEL = aModel(
    `${aTask('Must', '<itemControl><requiredRule/></itemControl>')}<planItem id="piMay" definitionRef="May"><itemControl><manualActivationRule/></itemControl></planItem><task id="May" name="May"/>`,
  );

  it('completes a case of which nothing that must be done is left', async () => {
    const { post, path, commands, id, db } = await aCase(MODEL);
    const early = await post(`${path}:complete`);
    const task = db.items().find(({ type }) => type === 'task');
    const { change } = await commands.give({
      caseInstanceId: id,
      principal: ann,
      command: () => ({ type: 'completeTask', planItemInstanceId: String(task?.taskId) }),
    });

    const done = await post(`${path}:complete`, { variables: { why: 'all done' } });

    expect(change.heads.at(-1)?.after).toMatchObject({ state: 'active', completable: true });
    expect([early.status, early.body.code]).toEqual([409, 'CASE_NOT_COMPLETABLE']);
    expect(done).toMatchObject({
      status: 200,
      body: { state: 'completed', variables: { why: 'all done' }, planItems: [] },
    });
  });

  it('completes any case by force, and cancels its tasks', async () => {
    const { post, path, db } = await aCase(MODEL);

    const { status, body } = await post(`${path}:complete`, { force: true });

    expect([status, body.state, body.tasks]).toEqual([200, 'completed', []]);
    expect(db.items().find(({ type }) => type === 'task')).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('POST /workflow/cmmn/cases/{id}:evaluate', () => {
  it('answers the case, and tells of it in the history', async () => {
    const { post, get, path } = await aCase(aModel(aTask('Stay')));

    const { status, body } = await post(`${path}:evaluate`, { reason: 'in doubt' });

    expect([status, body.state, namesIn(body)]).toEqual([200, 'active', ['Stay']]);
    const history = await get(`${path}/history`);
    expect((history.body.content as Listed)[0]).toMatchObject({
      by: 'demo',
      command: { type: 'evaluate', reason: 'in doubt' },
    });
  });
});

describe('PATCH /workflow/cmmn/cases/{id}/variables', () => {
  it('sets what is given and leaves the others', async () => {
    const { patch, get, path } = await aCase(aModel(aTask('One')), { variables: { a: 1, b: 2 } });

    const { status, body } = await patch(`${path}/variables`, { variables: { b: 3, c: null } });
    const refused = await patch(`${path}/variables`, { variables: [] });

    expect([status, body.variables]).toEqual([200, { a: 1, b: 3, c: null }]);
    expect(refused.status).toBe(400);
    expect((await get(`${path}/variables`)).body.variables).toEqual({ a: 1, b: 3, c: null });
  });
});

describe('POST /workflow/cmmn/signals/{name}', () => {
  const news =
    '<planItem id="piNews" name="News" definitionRef="News"/><eventListener id="News" flowable:eventType="signal" flowable:signalRef="news"/>';

  it('with a case reaches that one only', async () => {
    const { post, get, path, id, start } = await aCase(aModel(aTask('Stay') + news));
    const other = `${CASES}/${await start()}`;

    const heard = await post(`${CMMN}/signals/news`, { caseInstanceId: id, variables: { n: 1 } });
    const unknown = await post(`${CMMN}/signals/news`, { caseInstanceId: 'none' });

    expect(heard.body).toEqual({ caseInstanceIds: [id], refused: [], truncated: false });
    expect(unknown.body.code).toBe('CASE_NOT_FOUND');
    const [told, quiet] = [(await get(path)).body, (await get(other)).body];
    expect([namesIn(told), told.variables]).toEqual([['Stay'], { n: 1 }]);
    expect([namesIn(quiet), quiet.variables]).toEqual([['Stay', 'News'], {}]);
  });
});

describe('external work', () => {
  const MODEL = aModel(
    `<planItem id="piWork" name="Work" definitionRef="Work"/><task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post"/>${aTask('Stay')}`,
  );
  const aWorker = async () => {
    const world = await aCase(MODEL);
    const fetch = async (workerId: string) => {
      const body = { topic: 'post', workerId, leaseMs: 60_000 };
      return (await world.post(`${CMMN}/external-work:fetch`, body)).body.works as Listed;
    };
    const tell = (workId: unknown, verb: string, body: object) =>
      world.post(`${CMMN}/external-work/${workId}:${verb}`, body);
    return { ...world, fetch, tell };
  };

  it('whose lease is over goes to another worker, and the first has lost it', async () => {
    const { fetch, tell, context, get, path } = await aWorker();
    const [work] = await fetch('w1');
    const early = await fetch('w2');
    context.machineClock.advance(60_001);

    const late = await tell(work?.id, 'complete', { workerId: 'w1' });
    const [again] = await fetch('w2');
    const stolen = await tell(work?.id, 'complete', { workerId: 'w1' });
    const failed = await tell(work?.id, 'fail', { workerId: 'w1', reason: 'late' });
    const done = await tell(work?.id, 'complete', { workerId: 'w2', variables: { ok: true } });
    const twice = await tell(work?.id, 'complete', { workerId: 'w2' });

    expect([early, again?.id]).toEqual([[], work?.id]);
    expect([late, stolen, failed].map(({ body }) => body.code)).toEqual(
      Array(3).fill('LEASE_LOST'),
    );
    expect([done.status, twice.body.code]).toEqual([204, 'EXTERNAL_WORK_NOT_FOUND']);
    expect((await get(path)).body.variables).toEqual({ ok: true });
  });

  it('whose last try has failed fails its task', async () => {
    const { fetch, tell, context, get, path, items } = await aWorker();
    const left: unknown[] = [];
    for (const at of [1, 2, 3]) {
      const [work] = await fetch('w1');
      left.push((await tell(work?.id, 'fail', { workerId: 'w1', reason: `no ${at}` })).body);
      context.machineClock.advance(1);
    }

    expect(left).toEqual([{ retriesLeft: 2 }, { retriesLeft: 1 }, { retriesLeft: 0 }]);
    expect(await fetch('w1')).toEqual([]);
    expect(items('WORK#')).toEqual([]);
    const { body } = await get(`${path}/plan-items?ended=true`);
    expect(body.content).toMatchObject([{ name: 'Work', state: 'failed' }]);
  });
});

describe('a case task', () => {
  const CHILD = aModel(aTask('Inner'), { key: 'child' });
  const parent = (blocking: boolean) =>
    aModel(
      `${aTask('Stay')}<planItem id="piSub" definitionRef="Sub"/><caseTask id="Sub" name="Sub" isBlocking="${blocking}" caseRef="child"/>`,
    );
  const aFamily = async (blocking: boolean) => {
    const world = await aCaseWorld([parent(blocking), CHILD]);
    const { caseInstanceId: id } = await world.starter.start({ workflowCode: 'theCase' }, ann);
    const heads = () =>
      world.db
        .items()
        .filter(({ sk }) => sk === 'LIVE#HEAD')
        .map(({ head }) => head as Record<string, unknown>);
    const child = heads().find(({ caseInstanceId }) => caseInstanceId !== id);
    return { world, id, heads, childId: String(child?.caseInstanceId) };
  };
  const complete = ({ db, commands }: CaseWorld, caseInstanceId: string) => {
    const task = db.items().find((item) => item.type === 'task' && item.name === 'Inner');
    const planItemInstanceId = String(task?.taskId);
    const command = () => ({ type: 'completeTask' as const, planItemInstanceId });
    return commands.give({ caseInstanceId, principal: ann, command });
  };
  const statesOf = (world: CaseWorld, prefix: string) =>
    world.items(prefix).filter(({ sk }) => sk === 'LIVE#STATE').length;

  it('that waits keeps its case in the family, whose end it then sees', async () => {
    const { world, id, heads, childId } = await aFamily(true);
    const [before] = heads().filter(({ caseInstanceId }) => caseInstanceId === childId);
    const stored = statesOf(world, 'CASE#');

    await complete(world, childId);

    expect(before).toMatchObject({ familyId: id, parentCaseInstanceId: id, state: 'active' });
    expect(stored).toBe(1);
    expect(heads()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ caseInstanceId: childId, familyId: childId, state: 'completed' }),
        expect.objectContaining({ caseInstanceId: id, state: 'active' }),
      ]),
    );
    expect(world.items(`CASE#${id} / PIX#`)).toMatchObject([
      { definitionKey: 'Sub', state: 'completed' },
    ]);
  });

  it('that does not wait starts a family of its own, which outlives the parent', async () => {
    const { world, id, heads, childId } = await aFamily(false);
    await world.commands.give({
      caseInstanceId: id,
      principal: ann,
      command: () => ({ type: 'terminate' }),
    });

    const child = heads().find(({ caseInstanceId }) => caseInstanceId === childId);

    expect(statesOf(world, 'CASE#')).toBe(2);
    expect(child).toMatchObject({
      familyId: childId,
      parentCaseInstanceId: id,
      state: 'active',
    });
    await complete(world, childId);
    expect(
      heads()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['completed', 'terminated']);
  });

  it.each([true, false])('starts both cases or neither (waits: %s)', async (blocking) => {
    const world = await aCaseWorld([parent(blocking), CHILD]);
    const revive = world.db.before('TransactWriteItems', () => {
      throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });

    await expect(world.starter.start({ workflowCode: 'theCase' }, ann)).rejects.toThrow();
    revive();

    expect(world.db.items()).toEqual([]);
  });

  it('whose process is killed as its case ends does so when asked again, once', async () => {
    const { world, id, childId } = await aFamily(true);
    const before = world.db.items();
    const revive = world.db.before('TransactWriteItems', () => {
      throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    await expect(complete(world, childId)).rejects.toThrow();
    revive();
    const after = world.db.items();

    await complete(world, childId);

    expect(after).toEqual(before);
    expect(world.items(`CASE#${id} / PIX#`)).toHaveLength(1);
    expect(world.items(`CASE#${childId} / HIST#`)).toHaveLength(2);
  });
});
