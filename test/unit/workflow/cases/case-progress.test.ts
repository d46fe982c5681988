import { beforeEach, describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { type WorkflowWorld, workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';

interface ShownItem {
  readonly id: string;
  readonly name: string;
  readonly instances: readonly { readonly state: string }[];
  readonly latest: { readonly name: string };
}

const itemsOf = (body: { readonly planItems?: unknown }) => body.planItems as readonly ShownItem[];

let world: WorkflowWorld;
let id: string;
beforeEach(async () => {
  world = workflowWorld();
  const xml = aModel(`${aTask('Review')}${aTask('Each', EACH)}`);
  await world.post('/deployments', { workflowCode: 'loan', xml });
  const body = { workflowCode: 'loan', variables: { all: [1, 2, 3] } };
  id = String((await world.post('/cases', body)).body.caseInstanceId);
});

describe('GET /cases/{id}/progress', () => {
  it('counts the states of each plan item, and names the newest open instance', async () => {
    const { body: found } = await world.get(`/cases/${id}`);
    const each = itemsOf(found).filter(({ name }) => name === 'Each');
    const body = { planItemInstanceId: each[0]?.id };
    await world.post(`/cases/${id}/plan-items/Each:terminate`, body);

    const { status, body: progress, headers } = await world.get(`/cases/${id}/progress`);

    expect(status).toBe(200);
    expect(progress).toMatchObject({ caseInstanceId: id, state: 'active', truncated: false });
    const counted = itemsOf(progress).find(({ latest }) => latest.name === 'Each');
    expect(counted).toMatchObject({
      // The instance that the others were made from has ended too.
      states: { active: 2, terminated: 2 },
      latest: { id: each[2]?.id, state: 'active', taskId: each[2]?.id },
    });
    const again = await world.get(`/cases/${id}/progress`, {
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect(again.status).toBe(304);
  });

  it('is another one after each command', async () => {
    const before = await world.get(`/cases/${id}/progress`);
    await world.post(`/cases/${id}:suspend`, {});

    const after = await world.get(`/cases/${id}/progress`, {
      headers: { 'if-none-match': String(before.headers.etag) },
    });

    expect([after.status, after.body.state]).toEqual([200, 'suspended']);
  });

  it('is refused as the case is', async () => {
    const other = { caller: { sub: 'mai', tenant: 'other', roles: ['admin'] } };
    const nobody = { caller: { sub: 'mai', roles: [] } };

    for (const part of ['progress', 'model']) {
      expect((await world.get(`/cases/${id}/${part}`, other)).status).toBe(404);
      expect((await world.get(`/cases/${id}/${part}`, nobody)).status).toBe(403);
    }
  });
});

describe('GET /cases/{id}/model', () => {
  it('is that of the version which the case runs on', async () => {
    const xml = aModel(aTask('Other'));
    await world.post('/deployments', { workflowCode: 'loan', xml });

    const { status, body } = await world.get(`/cases/${id}/model`);

    expect(status).toBe(200);
    expect(itemsOf(body).map(({ name }) => name)).toEqual(['Review', 'Each']);
  });
});

describe('GET /snapshots/{workflowCode}?caseInstanceId=', () => {
  const snapshot = (code = 'loan', more: object = {}) =>
    world.get(`/snapshots/${code}?caseInstanceId=${id}`, more);

  it('has the instances of the case beside its plan items, of its version', async () => {
    await world.post('/deployments', { workflowCode: 'loan', xml: aModel(aTask('Other')) });

    const { status, body, headers } = await snapshot();

    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ version: 1, truncated: false });
    expect(
      itemsOf(body).map(({ name, instances }) => [name, instances.map(({ state }) => state)]),
    ).toEqual([
      ['Review', ['active']],
      // The instance that the others were made from has ended.
      ['Each', ['active', 'active', 'active', 'terminated']],
    ]);
    const etag = String(headers.etag);
    expect((await snapshot('loan', { headers: { 'if-none-match': etag } })).status).toBe(304);
    await world.post(`/cases/${id}:suspend`, {});
    expect((await snapshot('loan', { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('holds the first 200 instances of a huge case', async () => {
    const all = Array.from({ length: 190 }, (_, at) => at);
    const started = await world.post('/cases', { workflowCode: 'loan', variables: { all } });
    id = String(started.body.caseInstanceId);
    expect((await snapshot()).body.truncated).toBe(false);

    const more = await world.post('/cases', {
      workflowCode: 'loan',
      variables: { all: [...all, ...all.slice(0, 10)] },
    });
    id = String(more.body.caseInstanceId);
    const { body } = await snapshot();

    expect(body.truncated).toBe(true);
    expect(itemsOf(body).flatMap(({ instances }) => instances)).toHaveLength(200);
  });

  it('is refused for a case of another workflow, tenant, or who may not see cases', async () => {
    await world.post('/deployments', {
      workflowCode: 'other',
      xml: aModel(aTask('Other'), { key: 'other' }),
    });
    const definitionsOnly = { sub: 'mai', permissions: ['workflow:definition:view'] };

    expect((await snapshot('other')).body.code).toBe('CASE_NOT_FOUND');
    expect(
      (await snapshot('loan', { caller: { sub: 'x', tenant: 't', roles: ['admin'] } })).status,
    ).toBe(404);
    expect((await snapshot('loan', { caller: definitionsOnly })).status).toBe(403);
  });
});

describe('a milestone', () => {
  it('that has no name as a plan item is reached under the name of its definition', async () => {
    const xml = aModel(
      `<planItem id="pm" definitionRef="m"/><milestone id="m" name="Creditworthy"/>${aTask('Other')}`,
      { key: 'named' },
    );
    await world.post('/deployments', { workflowCode: 'named', xml });
    const { body: started } = await world.post('/cases', { workflowCode: 'named' });

    const { body } = await world.get(`/cases/${started.caseInstanceId}`);

    expect(started.milestones).toMatchObject([{ name: 'Creditworthy' }]);
    expect(body.milestones).toMatchObject([{ name: 'Creditworthy' }]);
  });
});
