import { describe, expect, it } from 'vitest';
import { amountXml, bpmnXml, chain } from '../../../helpers/workflow/bpmn-xml.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
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
