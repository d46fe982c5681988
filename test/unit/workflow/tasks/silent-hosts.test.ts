import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HostQuestions } from '../../../../functions/workflow/tasks/host-questions.ts';
import { HostTime } from '../../../../functions/workflow/tasks/host-time.ts';
import { TaskInterceptors } from '../../../../functions/workflow/tasks/task-interceptors.ts';
import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../../shared/host/claims-policies.ts';
import type { Host } from '../../../../shared/host/host.ts';
import type { PermissionEvaluator } from '../../../../shared/ports/security.ts';
import type { TaskCompletionContext } from '../../../../shared/ports/workflow.ts';
import { runInContext } from '../../../../shared/primitives/request-context.ts';
import { capturedLog } from '../../../helpers/captured/captured-log.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, operator, TASKS } from './tasks-api.ts';

const REVIEW = aTask('Review', '', 'flowable:candidateGroups="clerks"');
const MODEL = aModel(REVIEW);
const never = () => new Promise<never>(() => undefined);
const broken = () => Promise.reject(new Error('password=hunter2'));

const HOSTS: readonly [string, Partial<Host>][] = [
  ['whose policy throws', { workflowTaskAuthorizationService: { isAllowed: broken } }],
  ['whose policy hangs', { workflowTaskAuthorizationService: { isAllowed: never } }],
  ['whose resolver throws', { workflowTaskCandidateGroupResolver: { resolve: broken } }],
  ['whose resolver hangs', { workflowTaskCandidateGroupResolver: { resolve: never } }],
  [
    'whose resolver answers no list',
    { workflowTaskCandidateGroupResolver: { resolve: async () => undefined as never } },
  ],
];

describe('tasks of a host', () => {
  it.each(HOSTS)('%s are open to nobody, who is told to try again', async (_, host) => {
    const api = await aTasksApi([MODEL], { host, limitMs: 20 });
    const id = await api.aTaskId();
    const before = api.world.db.items();

    const answers = [
      await api.get(TASKS, ann),
      await api.get(`${TASKS}/${id}`, ann),
      await api.act('claim', id, ann),
      await api.act('complete', id, operator),
    ];

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(4).fill([503, 'SERVICE_UNAVAILABLE']),
    );
    expect(answers[0]?.headers['retry-after']).toBe('1');
    expect(answers.map(({ text }) => text).join()).not.toContain('hunter2');
    expect(api.world.db.items()).toEqual(before);
  });
});

describe('what has been done already', () => {
  it.each([broken, never])(
    'is told although the resolver gives no answer: start',
    async (resolve) => {
      const host = { workflowTaskCandidateGroupResolver: { resolve } };
      const api = await aTasksApi([MODEL], { host, limitMs: 20 });

      const { caseInstanceId, tasks } = await api.start();

      expect(caseInstanceId).toBeDefined();
      expect(tasks).toHaveLength(1);
    },
  );

  it('is told although the evaluator gives no answer: complete', async () => {
    const next = `<planItem id="piNext" name="Next" definitionRef="Next"><entryCriterion id="e" sentryRef="s"/></planItem>
<humanTask id="Next" name="Next" flowable:candidateGroups="clerks,chiefs"/>${aSentry('s', 'piReview')}`;
    const hasPermission: PermissionEvaluator['hasPermission'] = (...asked) =>
      asked[2] === 'view' ? broken() : claimsPermissionEvaluator.hasPermission(...asked);
    const host = { permissionEvaluator: { hasPermission } };
    const api = await aTasksApi([aModel(REVIEW + next)], { host, limitMs: 20 });
    const id = await api.aTaskId();

    const { status, body } = await api.act('complete', id, ann);

    expect(status).toBe(200);
    expect(body.nextTasks).toMatchObject([{ name: 'Next' }]);
  });
});

describe('a host whose answers all come late', () => {
  it('has fifteen seconds for the policies and interceptors of one request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const [log, hostTime] = [capturedLog(), new HostTime()];
    const questions = new HostQuestions({ log, hostTime });
    const host = { taskCompletionInterceptors: [{ beforeComplete: never }] };
    const interceptors = new TaskInterceptors({ host, log, hostTime });
    const context = { task: { taskId: 't' } } as TaskCompletionContext;
    const answer = () => new Promise((resolve) => setTimeout(() => resolve('yes'), 9_000));
    const ended: unknown[] = [];
    const end = (code: unknown) => ended.push(code);

    await runInContext({ traceId: 'one request' }, async () => {
      const asked = questions.ask('policy', answer);
      await vi.advanceTimersByTimeAsync(9_000);
      end(await asked);
      interceptors.before(context, {}).catch(({ code }) => end(code));
      await vi.advanceTimersByTimeAsync(5_999);
      end('fifteen seconds');
      await vi.advanceTimersByTimeAsync(1);
      await questions.ask('policy', answer).catch(({ code }) => end(code));
    });
    await runInContext({ traceId: 'another' }, async () => {
      const asked = questions.ask('policy', answer);
      await vi.advanceTimersByTimeAsync(9_000);
      end(await asked);
    });

    expect(ended).toEqual([
      'yes',
      'fifteen seconds',
      'TASK_COMPLETION_REJECTED',
      'SERVICE_UNAVAILABLE',
      'yes',
    ]);
  });
});

describe('POST /tasks/bulk', () => {
  it('takes up no more tasks after twelve seconds, and says which', async () => {
    const api = await aTasksApi([MODEL], {
      host: {
        workflowTaskAuthorizationService: {
          isAllowed: async (...asked) => {
            if (asked[0] === 'claim') api.world.context.machineClock.advance(1_000);
            return claimsTaskAuthorization.isAllowed(...asked);
          },
        },
      },
    });
    const taskIds: string[] = [];
    for (let at = 0; at < 20; at += 1) taskIds.push(await api.aTaskId());

    const { status, body } = await api.post(`${TASKS}/bulk`, { action: 'claim', taskIds }, ann);

    const results = body.results as { taskId: string; status: number; code?: string }[];
    const late = results.filter((one) => one.code === 'SERVICE_UNAVAILABLE');
    expect(status).toBe(200);
    expect(results.map(({ taskId }) => taskId)).toEqual(taskIds);
    expect(late.length).toBeGreaterThan(0);
    expect(late.length).toBeLessThan(10);
    expect(results.filter((one) => one.status === 200)).toHaveLength(20 - late.length);
    expect(await api.list('?assignee=me', ann)).toHaveLength(20 - late.length);
  });
});
