import { describe, expect, it } from 'vitest';
import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../shared/host/claims-policies.ts';
import { testSecurity } from '../../helpers/api/test-tokens.ts';
import { aModel, aSentry, aTask } from '../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../helpers/workflow/workflow-world.ts';
import { aTimer, MINUTE } from './timers/timer-world.ts';

const TASKS = '/api/v1/tasks';
const SVC = { security: { ...testSecurity, 'test-clock': true }, mq: { enabled: false } };
const HOST = {
  permissionEvaluator: claimsPermissionEvaluator,
  workflowTaskAuthorizationService: claimsTaskAuthorization,
};
const ann = { sub: 'ann', groups: ['clerks'] };

/** A review with a due date, after which a payment follows, and timers and a listener besides. */
const MODEL = aModel(`
${aTask('Review', '', 'flowable:candidateGroups="clerks" flowable:dueDate="2026-01-01T00:00:00.000Z"')}
<planItem id="piPay" name="Pay" definitionRef="Pay"><entryCriterion id="c1" sentryRef="s1"/></planItem>
<humanTask id="Pay" name="Pay" flowable:candidateGroups="clerks"/>
<planItem id="piNews" name="News" definitionRef="News"/>
<eventListener id="News" flowable:eventType="signal" flowable:signalRef="news"/>
${aTimer('Soon', 'PT10M')}
${aTimer('Later', 'PT2H')}
${aSentry('s1', 'piReview')}`);

const namesOf = (tasks: unknown): string[] =>
  (tasks as readonly { name: string }[]).map(({ name }) => name);

describe('with svc.mq.enabled=false', () => {
  it('cases run from their start to their end, timers fire, and nothing is sent', async () => {
    const world = workflowWorld(SVC, undefined, HOST);
    const { context, call } = world;
    const deployed = await world.post('/deployments', { workflowCode: 'loan', xml: MODEL });
    const { body: started } = await world.post('/cases', { workflowCode: 'loan' });
    const id = String(started.caseInstanceId);
    const asAnn = (method: string, path: string, body?: object) =>
      call({ method, path: `${TASKS}${path}`, body, caller: ann });

    const mine = await asAnn('GET', '');
    const [task] = mine.body.content as readonly { taskId: string }[];
    const claimed = await asAnn('POST', `/${task?.taskId}/claim`, {});
    const draft = await asAnn('POST', `/${task?.taskId}/save-draft`, { formData: { amount: 1 } });
    const completed = await asAnn('POST', `/${task?.taskId}/complete`, { comment: 'done' });

    expect([deployed, claimed, draft, completed].map(({ status }) => status)).toEqual([
      201, 200, 200, 200,
    ]);
    expect(namesOf(completed.body.nextTasks)).toEqual(['Pay']);

    context.machineClock.advance(11 * MINUTE);
    await world.runTask('workflow.sweep');
    expect(namesOf((await world.get(`/cases/${id}/tasks`)).body.content)).toEqual([
      'Pay',
      'DoSoon',
    ]);
    const advanced = await world.post('/clock:advance', { duration: 'PT3H' });
    expect(advanced.body).toMatchObject({ fired: 1, failed: 0 });
    const heard = await world.post('/signals/news', { variables: { rate: 3 } });
    expect(heard.body.caseInstanceIds).toEqual([id]);

    const paused = await world.post(`/cases/${id}:suspend`);
    const resumed = await world.post(`/cases/${id}:resume`);
    const ended = await world.post(`/cases/${id}:terminate`, { reason: 'test' });
    expect([paused, resumed, ended].map(({ body }) => body.state)).toEqual([
      'suspended',
      'active',
      'terminated',
    ]);
    expect((await world.get(`/cases/${id}/history`)).status).toBe(200);
    expect((await world.delete(`/cases/${id}`)).status).toBe(204);

    expect(context.bus.events).toEqual([]);
    const sent = context.db.items().filter(({ pk }) => String(pk).startsWith('message'));
    expect(sent).toEqual([]);
  });

  it('commands that other applications put on the bus are carried out', async () => {
    const world = workflowWorld(SVC, undefined, HOST);
    await world.post('/deployments', { workflowCode: 'loan', xml: MODEL });
    const user = { id: 'shop', permissions: ['workflow:case:add'] };
    const body = { workflowCode: 'loan', businessKey: 'O-1' };
    await world.context.events.publish('workflow.command', 'O-1', {
      ...{ command: 'startCase', user, body },
    });

    await world.deliver(...world.context.bus.events.map(({ envelope }) => envelope));

    const { body: found } = await world.get('/cases?businessKey=O-1');
    expect(found.content).toMatchObject([{ workflowCode: 'loan', startedBy: 'shop' }]);
  });
});
