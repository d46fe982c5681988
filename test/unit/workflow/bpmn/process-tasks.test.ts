import { describe, expect, it } from 'vitest';
import { amountXml, bpmnXml, chain, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { ann, aProcessApi, PROCESSES } from './processes-api.ts';

const CMMN = '/api/v1/workflow/cmmn';

const calling = (attributes = '', ref = 'order'): string =>
  caseXml({
    plan: `<planItem id="pi" definitionRef="call"/><planItem id="piStay" definitionRef="stay"/>
      <processTask id="call" name="Order" ${attributes}>
        <extensionElements><flowable:in source="sum" target="amount"/><flowable:out source="approved" target="isApproved"/></extensionElements>
        <processRefExpression><![CDATA[${ref}]]></processRefExpression>
      </processTask>
      <humanTask id="stay" name="Stay" flowable:candidateGroups="clerks"/>`,
  });

async function aCallingCase(xml = calling(), process = amountXml()) {
  const api = await aProcessApi(process);
  const deployed = await api.send('POST', `${CMMN}/deployments`, { workflowCode: 'loan', xml });
  if (deployed.status !== 201) throw new Error(deployed.text);
  const start = async (sum: unknown = 500) => {
    const given = { workflowCode: 'loan', variables: { sum } };
    const { body } = await api.send('POST', `${CMMN}/cases`, given);
    return String(body.caseInstanceId);
  };
  const processes = async (state = 'waiting') =>
    (await api.send('GET', `${PROCESSES}?state=${state}`)).body.content as {
      processInstanceId: string;
    }[];
  return {
    ...api,
    startCase: start,
    processes,
    getCase: async (id: string) => (await api.send('GET', `${CMMN}/cases/${id}`)).body,
    items: async (id: string) =>
      (
        (await api.send('GET', `${CMMN}/cases/${id}/plan-items`)).body.content as {
          planItemDefinitionKey: string;
          state: string;
        }[]
      ).map(({ planItemDefinitionKey: key, state }) => `${key} ${state}`),
    steps: () => api.context.db.items().filter(({ pk }) => pk === 'PROC#@calls'),
  };
}

describe('process tasks', () => {
  it('start a process with the variables that they map, and take back what it leaves', async () => {
    const { startCase, processes, getCase, send, steps } = await aCallingCase();
    const id = await startCase();

    const [process] = await processes();
    const { body } = await send('GET', `${PROCESSES}/${process?.processInstanceId}`);
    expect(body).toMatchObject({
      ...{ parentCaseInstanceId: id, variables: { amount: 500 }, startedBy: 'op' },
      activities: [{ activityId: 'big' }],
    });
    const [activity] = body.activities as { taskId: string }[];
    const given = { variables: { approved: true } };
    await send('POST', `/api/v1/tasks/${activity?.taskId}/complete`, given, ann);

    const after = await getCase(id);
    expect(after.variables).toMatchObject({ isApproved: true });
    expect(
      (after.planItems as { planItemDefinitionKey: string }[]).map(
        (item) => item.planItemDefinitionKey,
      ),
    ).toEqual(['stay']);
    expect(steps()).toEqual([]);
  });

  it('complete at once when the process does', async () => {
    const through = bpmnXml(
      `<startEvent id="s"/><serviceTask id="t" flowable:expression="\${amount + 1}" flowable:resultVariable="approved"/>${chain('s', 't')}`,
    );
    const { startCase, getCase } = await aCallingCase(calling(), through);

    expect((await getCase(await startCase())).variables).toMatchObject({ isApproved: 501 });
  });

  it('go on when nobody waits for the process', async () => {
    const { startCase, getCase, processes } = await aCallingCase(calling('isBlocking="false"'));
    const id = await startCase();

    expect(await processes()).toHaveLength(1);
    expect((await getCase(id)).planItems).toMatchObject([{ planItemDefinitionKey: 'stay' }]);
  });

  it('end their process when the case ends', async () => {
    const { startCase, processes, send, steps } = await aCallingCase();
    const id = await startCase();

    await send('POST', `${CMMN}/cases/${id}:terminate`, {});

    expect(await processes()).toEqual([]);
    expect(await processes('terminated')).toHaveLength(1);
    expect(steps()).toEqual([]);
  });

  it('fail when their process is not deployed', async () => {
    const { startCase, items, steps } = await aCallingCase(calling('', 'unknown'));
    const id = await startCase();

    expect(await items(id)).not.toContain('call active');
    expect(steps()).toEqual([]);
  });

  it('tell a suspended case when it has resumed', async () => {
    const { startCase, processes, send, getCase, services, context } = await aCallingCase();
    const id = await startCase();
    const [process] = await processes();
    const { body } = await send('GET', `${PROCESSES}/${process?.processInstanceId}`);
    await send('POST', `${CMMN}/cases/${id}:suspend`, {});
    const [activity] = body.activities as { taskId: string }[];
    const given = { variables: { approved: 'late' } };
    await send('POST', `/api/v1/tasks/${activity?.taskId}/complete`, given, ann);

    await send('POST', `${CMMN}/cases/${id}:resume`, {});
    context.machineClock.advance(120_000);
    await services().processes?.calls.sweep();

    expect((await getCase(id)).variables).toMatchObject({ isApproved: 'late' });
  });

  it.each([
    ['has ended', 'terminate', {}],
    ['is resumed', 'resume', { isApproved: 'late' }],
  ])('keep their process until the case %s', async (_, action, variables) => {
    const { startCase, processes, send, getCase, context, services } = await aCallingCase();
    const id = await startCase();
    const [process] = await processes();
    const path = `${PROCESSES}/${process?.processInstanceId}`;
    const { body } = await send('GET', path);
    await send('POST', `${CMMN}/cases/${id}:suspend`, {});
    const [activity] = body.activities as { taskId: string }[];
    const given = { variables: { approved: 'late' } };
    await send('POST', `/api/v1/tasks/${activity?.taskId}/complete`, given, ann);
    const early = await send('DELETE', path);

    await send('POST', `${CMMN}/cases/${id}:${action}`, {});
    context.machineClock.advance(120_000);
    await services().processes?.calls.sweep();
    const late = await send('DELETE', path);
    await services().processes?.calls.sweep();

    expect([early.status, early.body.code]).toEqual([409, 'PROCESS_RESULT_AWAITED']);
    expect(late.status).toBe(204);
    expect((await getCase(id)).variables).toMatchObject(variables);
    const left = context.db.items().filter(({ type }) => /^process_call/.test(String(type)));
    expect(left).toEqual([]);
  });

  it('are carried on by the sweep when the call was interrupted', async () => {
    const { startCase, processes, services, context, steps } = await aCallingCase();
    // The case is stored; the step after it fails.
    context.db.failNext('internal', { operation: 'TransactWriteItems', after: 1, times: 9 });
    await startCase();
    expect(steps()).toHaveLength(1);
    expect(await processes()).toEqual([]);

    for (let tries = 0; tries < 9 && steps().length > 0; tries += 1) {
      await services().processes?.calls.sweep();
    }

    expect(await processes()).toHaveLength(1);
    expect(steps()).toEqual([]);
  });
});

describe('processes in the resources of a deployment of cases', () => {
  const bpmn = (task: string) =>
    bpmnXml(`<startEvent id="s"/>${userTask(task)}${chain('s', task)}`, { key: 'ship' });
  const own = calling('flowable:sameDeployment="true"', 'ship');

  async function deployed(xml = own) {
    const api = await aCallingCase(calling());
    const deploy = (resources: readonly string[], more: object = {}) =>
      api.send('POST', `${CMMN}/deployments`, {
        ...{ workflowCode: 'loan', xml },
        resources: resources.map((each, at) => ({ name: `r${at}.bpmn`, xml: each })),
        ...more,
      });
    /** What waits in the process that a new case has started. */
    const started = async () => {
      const id = await api.startCase();
      const all = (await api.processes()) as { processInstanceId: string }[];
      const read = await Promise.all(all.map((each) => api.read(each.processInstanceId)));
      const process = read.find(({ parentCaseInstanceId }) => parentCaseInstanceId === id);
      return [
        process?.definitionVersion,
        process && (await api.waiting(String(process.processInstanceId))),
      ];
    };
    return { ...api, deploy, started };
  }

  it('are deployed with it, and the process tasks that say so start exactly them', async () => {
    const { deploy, started, send } = await deployed();
    const first = await deploy([bpmn('a')]);
    await send('POST', `${PROCESSES}/definitions`, { xml: bpmn('b') });
    const ofFirst = await started();
    const second = await deploy([bpmn('c')]);
    const ofSecond = await started();

    expect(first.body).toMatchObject({
      ...{ version: 2, resources: ['r0.bpmn'] },
      processDefinitions: [{ key: 'ship', workflowCode: 'ship', version: 1 }],
    });
    expect(second.body.processDefinitions).toMatchObject([{ version: 3 }]);
    expect([ofFirst, ofSecond]).toEqual([
      [1, ['a']],
      [3, ['c']],
    ]);
    const list = await send('GET', `${PROCESSES}/definitions/ship/versions`);
    expect(list.body.numberOfElements).toBe(3);
  });

  it('are the newest for process tasks that do not say so', async () => {
    const { deploy, started, send } = await deployed(calling('', 'ship'));
    await deploy([bpmn('a')]);
    await send('POST', `${PROCESSES}/definitions`, { xml: bpmn('b') });

    expect(await started()).toEqual([2, ['b']]);
  });

  it('are looked for elsewhere where the deployment has none of that key', async () => {
    const { deploy, started } = await deployed(calling('flowable:sameDeployment="true"', 'order'));
    await deploy([bpmn('a')]);

    expect(await started()).toEqual([1, ['big']]);
  });

  it('change nothing with a deployment that is refused, and are named with what is wrong', async () => {
    const { deploy, send } = await deployed();
    const evil = bpmn('a').replace('<startEvent', '<scriptTask id="evil"/><startEvent');

    const wrong = await deploy([bpmn('a'), evil]);
    const twice = await deploy([bpmn('a'), bpmn('b')]);
    const many = await deploy(Array.from({ length: 9 }, (_, at) => bpmn(`t${at}`)));
    const wrongCase = await deploy([bpmn('a')], { xml: '<x/>' });

    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/resources/1/xml', elementId: 'evil' })],
    ]);
    expect(twice.body.errors).toMatchObject([{ code: 'DUPLICATE_PROCESS_KEY' }]);
    expect(many.body.errors).toMatchObject([{ code: 'TOO_MANY_DEFINITIONS' }]);
    expect(wrongCase.status).toBe(422);
    expect((await send('GET', `${PROCESSES}/definitions/ship`)).status).toBe(404);
  });

  it('are no new version when the same comes again, and keep to the code that they have', async () => {
    const { deploy, send } = await deployed();
    await send('POST', `${PROCESSES}/definitions`, { code: 'shipping', xml: bpmn('a') });

    const same = await deploy([bpmn('a')]);
    const again = await deploy([bpmn('a')]);

    const version = [{ key: 'ship', workflowCode: 'shipping', version: 1 }];
    expect([same.status, same.body.processDefinitions]).toEqual([201, version]);
    expect([again.status, again.body.processDefinitions]).toEqual([200, version]);
  });

  it('are refused with a key whose code belongs to another process', async () => {
    const { deploy, send } = await deployed();
    await send('POST', `${PROCESSES}/definitions`, { code: 'ship', xml: amountXml('other') });

    expect((await deploy([bpmn('a')])).body.code).toBe('PROCESS_CODE_TAKEN');
  });

  it('are none of a deployment where processes are switched off', async () => {
    const world = workflowWorld();

    const { status, body } = await world.post('/deployments', {
      ...{ workflowCode: 'loan', xml: caseXml() },
      resources: [{ name: 'a', xml: bpmn('a') }],
    });

    expect([status, body.code]).toEqual([422, 'MODEL_INVALID']);
    expect(body.errors).toMatchObject([{ pointer: '/resources/0/xml' }]);
  });
});
