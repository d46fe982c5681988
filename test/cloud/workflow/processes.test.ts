// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { aModel, aTask } from '../../helpers/cmmn/cmmn.ts';
import { bpmnXml, chain, flow, userTask } from '../../helpers/workflow/bpmn-xml.ts';

const CMMN = '/api/v1/workflow/cmmn';
const PROCESSES = '/api/v1/process-instance';
const TASKS = '/api/v1/tasks';

const key = `order-${randomUUID()}`;
const group = `clerks-${key}`;
let admin: ApiClient;
let ann: ApiClient;
beforeAll(async () => {
  const as = async (sub: string, more: object) =>
    createApiClient({ baseUrl: cloud.baseUrl, token: await cloud.token({ sub, ...more }) });
  admin = await as('journey', { roles: ['admin'], tenant: `t-${key}` });
  ann = await as(`ann-${key}`, { groups: [group], tenant: `t-${key}` });
  const deployed = await admin.post(`${PROCESSES}/definitions`, { body: { code: key, xml: XML } });
  expect(deployed.body).toMatchObject({ workflowCode: key, processKey: key, version: 1 });
});

const own = `flowable:candidateGroups="${group}"`;

/** A payment is awaited; a large one is approved within an hour, or else looked at. */
const XML = bpmnXml(
  `<startEvent id="s"/><receiveTask id="wait" messageRef="paid"/>
  <exclusiveGateway id="size" default="size_small"/>${userTask('small', own)}${userTask('big', own)}
  <boundaryEvent id="late" attachedToRef="big"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>
  ${userTask('look', own)}<intermediateCatchEvent id="hold"><signalEventDefinition signalRef="go"/></intermediateCatchEvent><endEvent id="end"/>
  ${chain('s', 'wait', 'size')}${flow('size', 'big', '${amount > 100}')}${flow('size', 'small')}
  ${chain('small', 'end')}${chain('big', 'end')}${chain('late', 'look', 'hold', 'end')}`,
  { key, beside: '<message id="paid" name="Paid"/><signal id="go" name="Go"/>' },
);

interface Waiting {
  readonly activityId: string;
  readonly taskId?: string;
}

const waiting = (body: { readonly activities: readonly Waiting[] }) =>
  body.activities.map(({ activityId }) => activityId).sort();

async function started(): Promise<string> {
  const { status, body } = await admin.post(`${PROCESSES}/start`, {
    body: { workflowCode: key, businessKey: key },
    headers: { 'idempotency-key': randomUUID() },
  });
  expect(status).toBe(201);
  return `${PROCESSES}/${body.processInstanceId}`;
}

describe('a process', () => {
  it('is deployed, previewed and played', async () => {
    const definitions = `${PROCESSES}/definitions`;
    const next = await admin.post(definitions, { body: { code: key, xml: `${XML} ` } });
    expect([next.status, next.body.version]).toEqual([201, 2]);
    const list = await admin.get(definitions);
    expect(list.body.content).toMatchObject([{ workflowCode: key, version: 2 }]);
    expect((await admin.get(`${definitions}/${key}`)).body.version).toBe(2);
    const versions = await admin.get(`${definitions}/${key}/versions`);
    expect(versions.body.numberOfElements).toBe(2);
    expect((await admin.get(`${definitions}/${key}/versions/1/xml`)).text).toBe(XML);

    const evil = XML.replace('<startEvent id="s"/>', '<startEvent id="s"/><scriptTask id="evil"/>');
    const refused = await admin.post(definitions, { body: { code: key, xml: evil } });
    expect(refused.body).toMatchObject({
      ...{ status: 422, code: 'MODEL_INVALID' },
      errors: [{ code: 'ELEMENT_UNSUPPORTED', elementId: 'evil', line: 5 }],
    });

    const checked = await admin.post('/api/v1/preview/validate', { body: { xml: XML } });
    expect(checked.body).toMatchObject({ valid: true, errors: [] });
    const drawn = await admin.post('/api/v1/preview/definition', { body: { xml: XML } });
    const known = await admin.get(`/api/v1/preview/definition/${key}`);
    expect(known.body).toEqual(drawn.body);
    const played = await admin.post('/api/v1/preview/simulate', {
      body: { xml: XML, variables: { amount: 200 } },
    });
    expect(played.body.steps).toContainEqual({ type: 'flowTaken', id: 'size_big' });
  });

  it('takes the way of its conditions, and has its tasks in the list of all tasks', async () => {
    const path = await started();
    const paid = { messageName: 'Paid', payload: { amount: 500 } };
    const { body } = await admin.post(`${path}/message`, { body: paid });
    expect(waiting(body)).toEqual(['big', 'late']);
    expect((await admin.put(`${path}/variables`, { body: { note: 'x' } })).status).toBe(200);
    const states: unknown[] = [];
    for (const verb of ['suspend', 'resume']) {
      states.push((await admin.post(`${path}/${verb}`, { body: {} })).body.state);
    }
    expect(states).toEqual(['suspended', 'waiting']);

    const mine = await ann.get(TASKS, { query: { workflowCode: key } });
    expect(mine.body.content).toMatchObject([{ name: 'big', engine: 'BPMN' }]);
    const { taskId } = mine.body.content[0];
    const shown = await admin.get(`${path}/tasks`);
    expect(shown.body.tasks).toMatchObject([{ taskId }]);
    const done = await ann.post(`${TASKS}/${taskId}/complete`, { body: { outcome: 'fine' } });
    expect(done.body).toMatchObject({
      task: { status: 'COMPLETED' },
      case: { state: 'completed' },
    });

    const list = await admin.get(PROCESSES, { query: { state: 'completed', businessKey: key } });
    expect(list.body.content).toMatchObject([{ businessKey: key, state: 'completed' }]);
    const history = await admin.get(`${path}/history`, { query: { size: 50 } });
    const commands = history.body.content as { command: { type: string } }[];
    expect(commands.map(({ command }) => command.type)).toEqual([
      ...['completeTask', 'resume', 'suspend', 'setVariables', 'message', 'start'],
    ]);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(path)).status).toBe(404);
  });

  it('goes on by its timer and a signal, without a function that waits', async () => {
    const path = await started();
    await admin.post(`${path}/message`, {
      body: { messageName: 'Paid', payload: { amount: 500 } },
    });

    const advanced = await admin.post(`${CMMN}/clock:advance`, { body: { duration: 'PT61M' } });

    expect(advanced.body).toMatchObject({ fired: 1, failed: 0 });
    const late = (await admin.get(path)).body;
    expect(waiting(late)).toEqual(['look']);
    await ann.post(`${TASKS}/${late.activities[0].taskId}/complete`, { body: {} });
    const gone = await admin.post(`${path}/signal`, { body: { signalName: 'Go' } });
    expect(gone.body.state).toBe('completed');
  });

  it('is started by a process task, and ends with its case', async () => {
    const workflowCode = `calls-${key}`;
    const xml = aModel(
      `${aTask('Stay')}<planItem id="piCall" name="Call" definitionRef="Call"/>
      <processTask id="Call" name="Call"><processRefExpression><![CDATA[${key}]]></processRefExpression></processTask>`,
    );
    const deployed = await admin.post(`${CMMN}/deployments`, { body: { workflowCode, xml } });
    expect(deployed.status).toBe(201);
    const begin = async () =>
      (await admin.post(`${CMMN}/cases`, { body: { workflowCode } })).body.caseInstanceId;
    const called = async (caseInstanceId: string, state: string) => {
      const { body } = await admin.get(PROCESSES, { query: { workflowCode: key, state } });
      const all = body.content as { parentCaseInstanceId?: string; processInstanceId: string }[];
      return all.find(({ parentCaseInstanceId }) => parentCaseInstanceId === caseInstanceId);
    };

    const [first, second] = [await begin(), await begin()];
    const process = await called(first, 'waiting');
    const terminated = await admin.post(`${PROCESSES}/${process?.processInstanceId}/terminate`, {
      body: { reason: 'withdrawn' },
    });
    await admin.post(`${CMMN}/cases/${second}:terminate`, { body: {} });

    expect(terminated.body.state).toBe('terminated');
    const items = await admin.get(`${CMMN}/cases/${first}/plan-items`);
    expect(JSON.stringify(items.body)).not.toContain('"Call"');
    expect(await called(second, 'waiting')).toBeUndefined();
    expect(await called(second, 'terminated')).toBeDefined();
  });
});
