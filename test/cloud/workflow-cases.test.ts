import { randomBytes, randomUUID } from 'node:crypto';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';
import { aModel, aTask } from '../helpers/cmmn/cmmn.ts';

const CMMN = '/api/v1/workflow/cmmn';
const CASES = `${CMMN}/cases`;

let api: ApiClient;
/** Started first: others are tested until it is due. */
let prompt: ReturnType<typeof aPromptTimer>;
beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'journey', roles: ['admin'] }),
  });
  prompt = aPromptTimer();
  await prompt;
});

/** A case with a timer of two seconds, and what its schedule calls while there is one. */
async function aPromptTimer() {
  const scheduler = new SchedulerClient(cloud.awsClientConfig());
  const workflowCode = `prompt-${randomUUID()}`;
  const xml = aModel(
    `${aTask('Stay')}<planItem id="piSoon" definitionRef="Soon"/><timerEventListener id="Soon" name="Soon"><timerExpression>PT2S</timerExpression></timerEventListener>`,
  );
  await api.post(`${CMMN}/deployments`, { body: { workflowCode, xml } });
  const { body: started } = await api.post(CASES, { body: { workflowCode } });
  const caseInstanceId = String(started.caseInstanceId);
  const schedules = async () => {
    const command = new ListSchedulesCommand({ NamePrefix: caseInstanceId });
    const { Schedules = [] } = await scheduler.send(command);
    return Schedules.map(({ Target }) => Target?.Arn?.split(':').at(-1));
  };
  return { caseInstanceId, made: await schedules(), schedules };
}

const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MANUAL = '<itemControl><manualActivationRule/></itemControl>';

/** A task, one for each element of a list, a timer, a signal, external work, and something to plan. */
const model = (signal: string, topic: string) =>
  aModel(`
<planningTable id="table"><discretionaryItem id="ask" name="Ask" definitionRef="Expert"/></planningTable>
${aTask('Review', '', 'flowable:candidateGroups="clerks" flowable:assignee="mai"')}
${aTask('Each', EACH, 'flowable:candidateUsers="ann"')}
<planItem id="piCall" name="Call" definitionRef="Call">${MANUAL}</planItem><task id="Call" name="Call"/>
<planItem id="piTimer" definitionRef="Timer"/>
<timerEventListener id="Timer"><timerExpression>PT1H</timerExpression></timerEventListener>
<planItem id="piNews" definitionRef="News"/>
<eventListener id="News" flowable:eventType="signal" flowable:signalRef="${signal}"/>
<planItem id="piWork" definitionRef="Work"/>
<task id="Work" name="Work" flowable:type="external-worker" flowable:topic="${topic}"/>
<humanTask id="Expert" name="Expert"/>`);

async function aCase(variables: object = { all: [1] }) {
  const workflowCode = `cases-${randomUUID()}`;
  const [signal, topic] = [`news-${workflowCode}`, `work-${workflowCode}`];
  const deployed = await api.post(`${CMMN}/deployments`, {
    body: { workflowCode, xml: model(signal, topic) },
  });
  expect(deployed.status).toBe(201);
  const body = {
    workflowCode,
    businessKey: workflowCode,
    entityType: 'loan',
    entityId: workflowCode,
  };
  const started = await api.post(CASES, {
    body: { ...body, variables },
    headers: { 'idempotency-key': workflowCode },
  });
  expect(started.status).toBe(201);
  const id = String(started.body.caseInstanceId);
  return { id, path: `${CASES}/${id}`, workflowCode, signal, topic, started };
}

describe('a case', () => {
  it('is started, found, worked on, suspended, resumed and terminated', async () => {
    const { id, path, workflowCode, started } = await aCase();
    expect(started.body.tasks).toMatchObject([{ name: 'Review' }, { name: 'Each' }]);

    const queries: Record<string, string>[] = [
      { workflowCode },
      { businessKey: workflowCode },
      { entityType: 'loan', entityId: workflowCode },
      { state: 'active', size: '1' },
    ];
    for (const query of queries) {
      const list = await api.get(CASES, { query });
      expect(list.body.content).toContainEqual(expect.objectContaining({ caseInstanceId: id }));
    }
    const read = ['', '/plan-items', '/variables', '/stage-overview', '/explain'];
    for (const part of [...read, '/model', '/progress']) {
      expect((await api.get(`${path}${part}`)).status).toBe(200);
    }
    const page = await api.get(`${path}/view`);
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/<script[^>]*>.{10000}/s);
    const called = await api.post(`${path}/plan-items/Call:start`, { body: {} });
    expect(called.status).toBe(200);
    const plannable = await api.get(`${path}/plannable-items`);
    expect(plannable.body.items).toMatchObject([{ discretionaryItemId: 'ask' }]);
    const planned = await api.post(`${path}:plan`, { body: { discretionaryItemId: 'ask' } });
    expect(planned.status).toBe(200);
    await api.put(`${path}/variables`, { body: { variables: { a: 1 } } });
    expect((await api.delete(`${path}/variables/a`)).status).toBe(204);

    const states: unknown[] = [];
    for (const verb of ['suspend', 'resume', 'terminate']) {
      states.push((await api.post(`${path}:${verb}`, { body: {} })).body.state);
    }
    expect(states).toEqual(['suspended', 'active', 'terminated']);
    const history = await api.get(`${path}/history`, { query: { size: '50' } });
    expect(history.body.numberOfElements).toBe(8);
    const ended = await api.get(`${path}/plan-items`, { query: { ended: 'true' } });
    expect(ended.body.numberOfElements).toBe(8);

    expect((await api.delete(path)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
  });

  it('hears signals, and hands out and takes back external work', async () => {
    const { id, signal, topic } = await aCase();

    const heard = await api.post(`${CMMN}/signals/${signal}`, { body: {} });
    expect(heard.body).toMatchObject({ caseInstanceIds: [id], refused: [] });

    const fetch = { topic, workerId: 'w1', leaseMs: 60_000 };
    const first = await api.post(`${CMMN}/external-work:fetch`, { body: fetch });
    const [work] = first.body.works as { id: string }[];
    const failed = await api.post(`${CMMN}/external-work/${work?.id}:fail`, {
      body: { workerId: 'w1', reason: 'no answer' },
    });
    expect(failed.body).toEqual({ retriesLeft: 2 });
    await api.post(`${CMMN}/external-work:fetch`, { body: fetch });
    const done = await api.post(`${CMMN}/external-work/${work?.id}:complete`, {
      body: { workerId: 'w1' },
    });
    expect(done.status).toBe(204);
  });

  it('with more tasks than a transaction takes, and a state larger than an item, is whole', async () => {
    const { path } = await aCase({ all: Array.from({ length: 40 }, (_, at) => at) });
    for (const name of ['a', 'b', 'c']) {
      const text = randomBytes(150_000).toString('base64');
      const { status } = await api.put(`${path}/variables`, {
        body: { variables: { [name]: text } },
      });
      expect(status).toBe(200);
    }

    const { body } = await api.get(path);

    expect(body.tasks).toHaveLength(41);
    expect((await api.post(`${path}:terminate`, { body: {} })).status).toBe(200);
  });
});

describe('the timers of a tenant', () => {
  it('fire in order of due time when its clock is advanced', async () => {
    const tenant = `timers-${randomUUID()}`;
    const token = await cloud.token({ sub: 'journey', roles: ['admin'], tenant });
    const own = createApiClient({ baseUrl: cloud.baseUrl, token });
    const workflowCode = `timers-${randomUUID()}`;
    const timer = (id: string, expression: string) =>
      `<planItem id="pi${id}" name="${id}" definitionRef="${id}"/><timerEventListener id="${id}"><timerExpression>${expression}</timerExpression></timerEventListener>`;
    const xml = aModel(`${aTask('Stay')}${timer('Often', 'R3/PT20M')}${timer('Once', 'PT30M')}`);
    await own.post(`${CMMN}/deployments`, { body: { workflowCode, xml } });
    const { body: started } = await own.post(CASES, { body: { workflowCode } });
    const caseInstanceId = String(started.caseInstanceId);
    const waiting = async (query: Record<string, string>) => {
      const { body } = await own.get(`${CMMN}/timers`, { query });
      return (body.content as { name: string; id: string }[]).map(({ name }) => name);
    };
    expect(await waiting({ caseInstanceId })).toEqual(['Often', 'Once']);
    const { body: list } = await own.get(`${CMMN}/timers`);
    const [first] = list.content as { id: string }[];
    const early = await own.post(`${CMMN}/timers/${first?.id}:retry`, { body: undefined });
    expect(early.body.code).toBe('TIMER_NOT_DUE');

    const advanced = await own.post(`${CMMN}/clock:advance`, { body: { duration: 'PT50M' } });

    expect(advanced.body).toMatchObject({ tenant, fired: 3, failed: 0 });
    expect(await waiting({ caseInstanceId })).toEqual(['Often']);
    expect(await waiting({})).toEqual(['Often']);
    const { body: history } = await own.get(`${CASES}/${caseInstanceId}/history`, {
      query: { size: '10' },
    });
    const commands = (history.content as { by: string; command: { type: string } }[]).map(
      ({ by, command }) => `${command.type} by ${by}`,
    );
    expect(commands).toEqual([
      ...Array.from({ length: 3 }, () => 'fireTimer by system'),
      'start by journey',
    ]);
  });

  it('fire by a schedule of their own, which goes then', async () => {
    const { caseInstanceId, made, schedules } = await prompt;

    await expect.poll(schedules, { timeout: 120_000, interval: 500 }).toEqual([]);

    expect(made).toEqual([cloud.outputs.functions.workflow]);
    const timers = async () =>
      (await api.get(`${CMMN}/timers`, { query: { caseInstanceId } })).body.numberOfElements;
    await expect.poll(timers, { timeout: 120_000 }).toBe(0);
  });
});
