import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aCaseWorld, aUser, type CaseWorld } from '../../../helpers/cases/case-world.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { aCasesApi, CASES } from './cases-api.ts';

const ann = aUser('ann');
const DAY_MS = 86_400_000;
const ALL = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';

/** Something of every kind that leaves items: tasks, a timer, a signal, external work with variables, a milestone. */
const MODEL = aModel(`
${aTask('Each', ALL, 'flowable:candidateGroups="a,b" flowable:candidateUsers="ann"')}
<planItem id="piTimer" definitionRef="Timer"/>
<timerEventListener id="Timer"><timerExpression>PT1H</timerExpression></timerEventListener>
<planItem id="piNews" definitionRef="News"/>
<eventListener id="News" flowable:eventType="signal" flowable:signalRef="news"/>
<planItem id="piDone" definitionRef="Done"/><milestone id="Done" name="Done"/>
<planItem id="piWork" definitionRef="Work"/>
<task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post">
<extensionElements><flowable:in source="blob" target="blob"/></extensionElements></task>`);

const many = (count: number) => Array.from({ length: count }, (_, at) => at);

async function aCase({ starter }: CaseWorld, tasks = 3) {
  const variables = { all: many(tasks), blob: 1 };
  const wanted = { workflowCode: 'theCase', businessKey: 'B-1', variables };
  return (await starter.start(wanted, ann)).caseInstanceId;
}

const terminate = (world: CaseWorld, caseInstanceId: string) =>
  world.commands.give({
    caseInstanceId,
    principal: ann,
    command: () => ({ type: 'terminate' }),
  });

/** Keys of what is stored, but for the groups of the tenant, which outlive cases. */
const keysOf = ({ db }: CaseWorld) =>
  db
    .items()
    .map(({ pk, sk }) => `${pk} / ${sk}`)
    .filter((key) => !key.startsWith('TASKIDX##GROUPS'));

/** Ends the process at the n-th request of a kind from now on. */
function dieAt({ db }: CaseWorld, kind: string, nth: number): () => void {
  let seen = 0;
  return db.before(kind, () => {
    seen += 1;
    if (seen >= nth) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  });
}

describe('a case that is deleted', () => {
  it('leaves no item behind: each that it had is gone', async () => {
    const world = await aCaseWorld([MODEL]);
    const id = await aCase(world);
    const during = keysOf(world);
    await terminate(world, id);
    const ended = keysOf(world);

    await world.deletion.delete(id, ann);

    for (const prefix of ['TIMERDUE#', 'SIGNAL#', 'WORK#', 'TASKIDX#', 'CASEIDX#', 'TASK#']) {
      expect(during.some((key) => key.startsWith(prefix))).toBe(true);
    }
    for (const part of ['LIVE#HEAD', 'LIVE#STATE', 'HIST#', 'PIX#M#', 'PIX#I#']) {
      expect(ended.some((key) => key.startsWith(`CASE#${id} / ${part}`))).toBe(true);
    }
    expect(ended.some((key) => key.startsWith('CASEEND#COMMON'))).toBe(true);
    expect(keysOf(world)).toEqual([]);
  });

  /** A case that has ended, with the folders of what it had in the bucket. */
  const aCaseWithLargeHistory = async () => {
    const work = `<planItem id="piWork" definitionRef="Work"><entryCriterion id="go" sentryRef="gone"/></planItem>
<task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post">
<extensionElements><flowable:in source="a" target="a"/><flowable:in source="b" target="b"/></extensionElements></task>`;
    const go = '<userEventListener id="Go"/><planItem id="piGo" definitionRef="Go"/>';
    const world = await aCaseWorld([
      aModel(aTask('One') + work + go + aSentry('gone', 'piGo', 'occur')),
    ]);
    const { caseInstanceId: id } = await world.starter.start({ workflowCode: 'theCase' }, ann);
    const folders = new Set<string | undefined>();
    const give = async (command: Parameters<typeof world.commands.give>[0]['command']) => {
      await world.commands.give({ caseInstanceId: id, principal: ann, command });
      for (const path of world.storage.files.keys()) folders.add(path.split('/')[3]);
    };
    for (const name of ['a', 'b', 'a']) {
      const text = randomBytes(190_000).toString('base64');
      await give(() => ({ type: 'setVariables', variables: { [name]: text } }));
    }
    await give(({ state }) => {
      const listener = state.cases[0]?.planItems.find(({ planItemId }) => planItemId === 'piGo');
      return { type: 'trigger', planItemInstanceId: listener?.id ?? '' };
    });
    await give(() => ({ type: 'terminate' }));
    return { world, id, folders };
  };

  it('leaves no object behind: state, history and external work lay in the bucket', async () => {
    const { world, id, folders } = await aCaseWithLargeHistory();

    await world.deletion.delete(id, ann);

    expect([...folders].sort()).toEqual(['history', 'state', 'work']);
    expect([...world.storage.files.keys()]).toEqual([]);
    expect(keysOf(world)).toEqual([]);
  });

  it('is not there for who reads its history meanwhile, of which the bucket had parts', async () => {
    const { world, id } = await aCaseWithLargeHistory();
    const read = world.storage.get;
    Object.assign(world.storage, {
      get: async (...given: Parameters<typeof read>) => {
        if (given[0].includes('/history/')) await world.deletion.delete(id, ann);
        return read(...given);
      },
    });

    const reading = world.reader.history(id, ann, { size: 20 });

    await expect(reading).rejects.toMatchObject({ code: 'CASE_NOT_FOUND', status: 404 });
  });

  it('is refused while it runs, and stays as it is', async () => {
    const world = await aCaseWorld([MODEL]);
    const id = await aCase(world);
    const before = world.db.items();

    const refused = world.deletion.delete(id, ann);

    await expect(refused).rejects.toMatchObject({ code: 'CASE_NOT_ENDED', status: 409 });
    expect(world.db.items()).toEqual(before);
  });

  it.each([
    ['Query', 2],
    ['Query', 4],
    ['Query', 60],
    ['BatchWriteItem', 1],
    ['BatchWriteItem', 2],
    ['BatchWriteItem', 80],
    ['TransactWriteItems', 2],
  ])('and whose process is killed at %s %i goes by the sweep', async (kind, nth) => {
    const world = await aCaseWorld([MODEL]);
    const id = await aCase(world, 120);
    await terminate(world, id);
    const revive = dieAt(world, kind, nth);
    await world.deletion.delete(id, ann);
    revive();
    const left = keysOf(world);

    world.context.machineClock.advance(61_000);
    const swept = await world.erasure.sweep();

    expect(left).not.toEqual([]);
    expect(left).not.toContain(`CASE#${id} / LIVE#HEAD`);
    expect(swept).toBe(1);
    expect(keysOf(world)).toEqual([]);
    expect(await world.erasure.sweep()).toBe(0);
  });

  it('does not go when its first transaction fails', async () => {
    const world = await aCaseWorld([MODEL]);
    const id = await aCase(world);
    await terminate(world, id);
    const before = world.db.items();
    const revive = dieAt(world, 'TransactWriteItems', 1);

    await expect(world.deletion.delete(id, ann)).rejects.toThrow();
    revive();

    expect(world.db.items()).toEqual(before);
  });

  it('is gone for the second of two deletions at once', async () => {
    const world = await aCaseWorld([MODEL]);
    const id = await aCase(world);
    await terminate(world, id);

    const answers = await Promise.allSettled([
      world.deletion.delete(id, ann),
      world.deletion.delete(id, ann),
    ]);

    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(keysOf(world)).toEqual([]);
  });
});

describe('cases that a deleted case has called', () => {
  const child = (blocking: boolean) =>
    `<planItem id="piSub" definitionRef="Sub"/><caseTask id="Sub" name="Sub" isBlocking="${blocking}" caseRef="child"/>`;
  const CHILD = aModel(aTask('Inner'), { key: 'child' });
  const aParent = async (blocking: boolean) => {
    const world = await aCaseWorld([aModel(aTask('Stay') + child(blocking)), CHILD]);
    const { caseInstanceId } = await world.starter.start({ workflowCode: 'theCase' }, ann);
    const heads = world.db.items().filter(({ sk }) => sk === 'LIVE#HEAD');
    const childId = heads.map(({ pk }) => String(pk).slice(5)).find((id) => id !== caseInstanceId);
    return { world, caseInstanceId, childId: String(childId) };
  };

  it('go with it when it waited for them', async () => {
    const { world, caseInstanceId } = await aParent(true);
    await terminate(world, caseInstanceId);

    await world.deletion.delete(caseInstanceId, ann);

    expect(keysOf(world)).toEqual([]);
  });

  it('stay when nobody waited for them', async () => {
    const { world, caseInstanceId, childId } = await aParent(false);
    await terminate(world, caseInstanceId);

    await world.deletion.delete(caseInstanceId, ann);

    expect(keysOf(world)).toContain(`CASE#${childId} / LIVE#HEAD`);
    expect(keysOf(world).filter((key) => key.includes(caseInstanceId))).toEqual([]);
    expect((await world.families.load(childId))?.state.cases[0]?.state).toBe('active');
  });

  it('that have been killed on the way go by the sweep', async () => {
    const { world, caseInstanceId } = await aParent(true);
    await terminate(world, caseInstanceId);
    const revive = dieAt(world, 'TransactWriteItems', 3);
    await world.deletion.delete(caseInstanceId, ann);
    revive();
    const left = keysOf(world);

    world.context.machineClock.advance(61_000);
    await world.erasure.sweep();

    expect(left).not.toEqual([]);
    expect(keysOf(world)).toEqual([]);
  });
});

describe('a called case whose task has left more than an item holds', () => {
  const MANUAL = '<itemControl><manualActivationRule/></itemControl>';
  const PARENT = aModel(
    `${aTask('Stay')}<planItem id="piSub" definitionRef="Sub">${MANUAL}</planItem><caseTask id="Sub" name="Sub" caseRef="child"/>`,
  );

  it('does not keep its caller from being erased, however often that is interrupted', async () => {
    const world = await aCaseWorld([PARENT, aModel(aTask('Inner'), { key: 'child' })]);
    const { caseInstanceId } = await world.starter.start({ workflowCode: 'theCase' }, ann);
    for (const type of ['startPlanItem', 'trigger'] as const) {
      const localVariables = { [type]: randomBytes(180_000).toString('base64') };
      await world.commands.give({
        ...{ caseInstanceId, principal: ann },
        command: ({ state }) => {
          const item = state.cases[0]?.planItems.find(({ planItemId }) => planItemId === 'piSub');
          return { type, planItemInstanceId: item?.id ?? '', localVariables };
        },
      });
    }
    await terminate(world, caseInstanceId);
    const objects = world.storage.files.size;
    const revive = world.db.before('BatchWriteItem', ({ input }) => {
      if (!JSON.stringify(input).includes('PIX#')) return;
      throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    await world.deletion.delete(caseInstanceId, ann);
    revive();

    world.context.machineClock.advance(61_000);
    await world.erasure.sweep();

    expect(objects).toBe(1);
    expect(keysOf(world)).toEqual([]);
    expect([...world.storage.files.keys()]).toEqual([]);
  });
});

describe('DELETE /workflow/cmmn/cases/{id}', () => {
  it('answers 409 while it runs, 204 once it has ended, and 404 from then on', async () => {
    const api = await aCasesApi([MODEL]);
    const path = `${CASES}/${await api.start({ variables: { all: [1], blob: 1 } })}`;

    const running = await api.delete(path);
    await api.post(`${path}:terminate`);
    const foreign = await api.delete(path, undefined, {
      sub: 'eve',
      tenant: 'other',
      roles: ['admin'],
    });
    const deleted = await api.delete(path);
    const answers = [await api.delete(path), await api.get(path), await api.get(`${path}/history`)];

    expect([running.status, running.body.code]).toEqual([409, 'CASE_NOT_ENDED']);
    expect([foreign.status, deleted.status]).toEqual([404, 204]);
    expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill('CASE_NOT_FOUND'));
    expect((await api.get(`${CASES}?state=terminated`)).body.content).toEqual([]);
  });

  it('frees the deployment of the case, also one of another tenant', async () => {
    const world = workflowWorld();
    const xml = aModel(aTask('One'));
    const { body: deployed } = await world.post('/deployments', { workflowCode: 'loan', xml });
    const caller = { sub: 'eve', tenant: 'acme', roles: ['admin'] };
    const { body: started } = await world.post('/cases', { workflowCode: 'loan' }, { caller });
    const path = `/cases/${started.caseInstanceId}`;
    const contents = () =>
      world.context.db
        .items()
        .filter(({ pk }) => pk === `WF#${deployed.deploymentId}`)
        .map(({ sk }) => sk);

    const inUse = await world.delete(`/deployments/${deployed.deploymentId}`);
    await world.post(`${path}:terminate`, {}, { caller });
    const deleted = await world.delete(`/deployments/${deployed.deploymentId}`);
    world.context.machineClock.advance(3 * 60_000);
    await world.runTask('workflow.sweep');
    const kept = contents();
    const gone = await world.delete(path, { caller });
    world.context.machineClock.advance(DAY_MS + 60_000);
    await world.runTask('workflow.sweep');

    expect([inUse.body.code, deleted.status, gone.status]).toEqual(['DEPLOYMENT_IN_USE', 204, 204]);
    expect(kept).toContain('MODEL');
    expect(contents()).toEqual([]);
  });
});

describe('svc.workflow.history-retention', () => {
  const aWorld = async (retention?: number, own?: string) => {
    const svc = retention === undefined ? {} : { workflow: { 'history-retention': retention } };
    const world = workflowWorld(svc);
    const xml = aModel(aTask('One'));
    await world.post('/deployments', {
      workflowCode: 'loan',
      xml,
      ...(own !== undefined && { historyRetention: own }),
    });
    const { body } = await world.post('/cases', { workflowCode: 'loan' });
    const path = `/cases/${body.caseInstanceId}`;
    const { machineClock } = world.context;
    const statusIn = async (days: number) => {
      machineClock.advance(days * DAY_MS);
      await world.runTask('workflow.sweep');
      return (await world.get(path)).status;
    };
    return { world, path, statusIn };
  };

  it('erases a case so long after its end, and not before', async () => {
    const { world, path, statusIn } = await aWorld(10 * DAY_MS);

    const running = await statusIn(30);
    await world.post(`${path}:terminate`, {});
    const early = await statusIn(9);
    const late = await statusIn(2);

    expect([running, early, late]).toEqual([200, 200, 404]);
    const left = world.context.db.items().filter(({ pk }) => String(pk).startsWith('CASE'));
    expect(left).toEqual([]);
  });

  it('gives way to the retention of a definition, longer or shorter', async () => {
    const longer = await aWorld(DAY_MS, '20d');
    const shorter = await aWorld(undefined, '2d');
    for (const { world, path } of [longer, shorter]) await world.post(`${path}:terminate`, {});

    const states = [
      await longer.statusIn(10),
      await shorter.statusIn(1),
      await shorter.statusIn(1.5),
    ];
    const atLast = await longer.statusIn(11);

    expect([...states, atLast]).toEqual([200, 200, 404, 404]);
  });

  it('keeps cases for ever when nothing says otherwise', async () => {
    const { world, path, statusIn } = await aWorld();
    await world.post(`${path}:terminate`, {});

    expect(await statusIn(3_000)).toBe(200);
  });

  it('begins anew with the next end of a case that was brought back', async () => {
    const world = workflowWorld({ workflow: { 'history-retention': 10 * DAY_MS } });
    const xml = aModel(
      `${aTask('Work')}<planItem id="piBack" definitionRef="Back"/><eventListener id="Back" flowable:eventType="reactivate"/>`,
    );
    await world.post('/deployments', { workflowCode: 'loan', xml });
    const { body } = await world.post('/cases', { workflowCode: 'loan' });
    const path = `/cases/${body.caseInstanceId}`;
    const sweepAfter = async (days: number) => {
      world.context.machineClock.advance(days * DAY_MS);
      await world.runTask('workflow.sweep');
      return (await world.get(path)).status;
    };
    await world.post(`${path}:terminate`, {});
    world.context.machineClock.advance(5 * DAY_MS);
    await world.post(`${path}:reactivate`, {});

    const running = await sweepAfter(20);
    await world.post(`${path}:terminate`, {});
    const early = await sweepAfter(9);
    const late = await sweepAfter(2);

    expect([running, early, late]).toEqual([200, 200, 404]);
  });

  it('erases a bounded number of cases in a run, oldest first', async () => {
    const world = await aCaseWorld([aModel(aTask('One'))], {
      deployment: { historyRetentionMs: DAY_MS },
    });
    for (const _ of many(105)) {
      const { caseInstanceId } = await world.starter.start({ workflowCode: 'theCase' }, ann);
      await terminate(world, caseInstanceId);
    }
    world.context.machineClock.advance(DAY_MS + 1_000);

    const runs = [
      await world.retention.sweep(),
      await world.retention.sweep(),
      await world.retention.sweep(),
    ];

    expect(runs).toEqual([100, 5, 0]);
    expect(keysOf(world)).toEqual([]);
  });
});
