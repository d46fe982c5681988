import { describe, expect, it } from 'vitest';
import { runtimePort } from '../../../../functions/workflow/index.ts';
import { claimsTaskAuthorization } from '../../../../shared/host/claims-policies.ts';
import type { Host } from '../../../../shared/host/host.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import type { TaskCompletionInterceptor } from '../../../../shared/ports/workflow.ts';
import { aUser } from '../../../helpers/cases/case-world.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const CLERKS = 'flowable:candidateGroups="clerks"';
const MODEL = aModel(`${aTask('Review', '', CLERKS)}${aTask('Sign', '', CLERKS)}
<planItem id="piNews" definitionRef="News"/><userEventListener id="News" name="News"/>`);
const ann = aUser('ann', { groups: ['clerks'] });
const eve = aUser('eve');
const admin = aUser('op', { roles: ['admin'] });

/** The workflow module, and its port in the function of another one. */
function aShop(more: Host = {}) {
  const host = { workflowTaskAuthorizationService: claimsTaskAuthorization, ...more };
  const world = workflowWorld({}, undefined, host);
  const shop = aContext({
    module: 'shop',
    host: world.context.host,
    besides: world.context,
  });
  return { world, shop, runtime: bindPort(runtimePort, shop).use() };
}

async function withCase(more: Host = {}) {
  const given = aShop(more);
  const { runtime } = given;
  const deployed = await runtime.deployCmmn({ workflowCode: 'loan', xml: MODEL }, admin);
  const started = await runtime.startCase({ workflowCode: 'loan', businessKey: 'B1' }, ann);
  const [review = '', sign = ''] = started.tasks.map(({ taskId }) => taskId);
  return { ...given, deployed, started, id: started.caseInstanceId, review, sign };
}

describe('the workflow runtime in the function of another module', () => {
  it('deploys, starts, lists, assigns, triggers, sets variables and completes', async () => {
    const { world, runtime, deployed, started, id, review, sign } = await withCase();

    const listed = await runtime.listActiveTasks({ workflowCode: 'loan', size: 1 }, ann);
    const rest = await runtime.listActiveTasks(
      { workflowCode: 'loan', size: 1, cursor: listed.nextCursor },
      ann,
    );
    const assigned = await runtime.assignTask(review, 'ann', admin, { comment: 'for you' });
    const triggered = await runtime.triggerPlanItem(
      { caseInstanceId: id, planItemDefinitionKey: 'News' },
      ann,
    );
    const set = await runtime.setCaseVariables(id, { amount: 5 }, ann);
    const done = await runtime.completeTask(review, { outcome: 'yes' }, ann);
    const last = await runtime.completeTask(sign, { variables: { signed: true } }, ann);

    expect(deployed).toMatchObject({ version: 1, status: 'PUBLISHED', isUnchanged: false });
    expect(started).toMatchObject({ state: 'active', businessKey: 'B1', workflowCode: 'loan' });
    expect([listed, rest].flatMap(({ content }) => content.map(({ name }) => name)).sort()).toEqual(
      ['Review', 'Sign'],
    );
    expect(assigned).toMatchObject({ taskId: review, status: 'CLAIMED', assignee: 'ann' });
    expect(triggered.tasks).toHaveLength(2);
    expect(set.variables).toEqual({ amount: 5 });
    expect(done).toMatchObject({ task: { status: 'COMPLETED', outcome: 'yes' } });
    expect(last.case).toMatchObject({ caseInstanceId: id, state: 'completed' });
    const { body } = await world.get(`/cases/${id}`);
    expect(body).toMatchObject({ state: 'completed', startedBy: 'ann' });
  });

  it('leaves timers to the next sweep, having no right to make schedules', async () => {
    const { world, runtime } = aShop();
    const waits =
      '<planItem id="piT" definitionRef="T"/><timerEventListener id="T"><timerExpression>PT90S</timerExpression></timerEventListener>';
    await runtime.deployCmmn({ workflowCode: 'wait', xml: aModel(waits) }, admin);
    const { caseInstanceId } = await runtime.startCase({ workflowCode: 'wait' }, ann);
    const scheduled = [...world.context.schedules.calls];
    const states: unknown[] = [];
    for (let minute = 0; minute < 2; minute += 1) {
      world.context.machineClock.advance(60_000);
      await world.runTask('workflow.sweep');
      states.push((await world.get(`/cases/${caseInstanceId}`)).body.state);
    }

    expect(scheduled).toEqual([]);
    expect(states).toEqual(['active', 'completed']);
  });

  it('refuses what its endpoints refuse, by the same names', async () => {
    const { runtime, id, review } = await withCase();
    const wrong = { amount: Number.NaN };

    await expect(runtime.startCase({ workflowCode: 'none' }, ann)).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
    });
    await expect(runtime.setCaseVariables(id, wrong, ann)).rejects.toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      errors: [{ pointer: '/variables' }],
    });
    await expect(runtime.startCase({}, ann)).rejects.toMatchObject({ status: 400 });
    await expect(runtime.completeTask(review, {}, eve)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(runtime.assignTask(review, 'eve', ann)).rejects.toMatchObject({ status: 403 });
    await expect(runtime.setCaseVariables(id, {}, aUser('x', { tenant: 'b' }))).rejects.toThrow(
      'visible',
    );
  });

  it('lets nobody at tasks without a policy', async () => {
    const { runtime, review } = await withCase({ workflowTaskAuthorizationService: undefined });

    await expect(runtime.completeTask(review, {}, admin)).rejects.toMatchObject({ status: 403 });
    await expect(runtime.listActiveTasks({}, admin)).rejects.toMatchObject({ status: 403 });
  });

  it('works in the unit of work of its caller, all or nothing', async () => {
    const { runtime, shop, world, id } = await withCase();

    const failed = shop.unitOfWork(async () => {
      await runtime.setCaseVariables(id, { amount: 5 }, ann);
      throw new Error('no stock');
    });

    await expect(failed).rejects.toThrow('no stock');
    expect((await world.get(`/cases/${id}/variables`)).body.variables).toEqual({});
  });
});

describe('the runtime that interceptors are handed', () => {
  it('works on other tasks and cases, for the principal of the completion', async () => {
    const after: unknown[] = [];
    const chaining: TaskCompletionInterceptor = {
      async afterComplete({ task, runtime, principal, case: { caseInstanceId = '' } }) {
        if (task.taskDefinitionKey !== 'Review') return;
        const { content } = await runtime.listActiveTasks({ caseInstanceId }, principal);
        for (const { taskId, name } of content) {
          const { task: done } = await runtime.completeTask(taskId, {}, principal);
          after.push([name, done.status, done.assignee]);
        }
      },
    };
    const { runtime, review } = await withCase({ taskCompletionInterceptors: [chaining] });

    await runtime.completeTask(review, {}, ann);

    expect(after).toEqual([['Sign', 'COMPLETED', 'ann']]);
  });
});
