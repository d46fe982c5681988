import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HostTime } from '../../../../functions/workflow/tasks/host-time.ts';
import { TaskInterceptors } from '../../../../functions/workflow/tasks/task-interceptors.ts';
import type { Host } from '../../../../shared/host/host.ts';
import type { TaskCompletionContext } from '../../../../shared/ports/workflow.ts';
import { capturedLog } from '../../../helpers/captured/captured-log.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, type Body, bob, eve, idsOf, operator, TASKS } from './tasks-api.ts';

/** A review; when it is approved, a payment for the cashiers and a letter for the clerks follow. */
const MODEL = aModel(`
${aTask('Review', '', 'flowable:candidateGroups="clerks"')}
<planItem id="piPay" name="Pay" definitionRef="Pay"><entryCriterion id="c1" sentryRef="s1"/></planItem>
<humanTask id="Pay" name="Pay" flowable:candidateGroups="cashiers"/>
<planItem id="piWrite" name="Write" definitionRef="Write"><entryCriterion id="c2" sentryRef="s1"/></planItem>
<humanTask id="Write" name="Write" flowable:candidateGroups="clerks"/>
${aSentry('s1', 'piReview', 'complete', `\${vars:equals(approved, true) && vars:equals(form_Review_outcome, 'yes')}`)}`);
const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MANY = aModel(aTask('Each', EACH, 'flowable:candidateGroups="clerks"') + aTask('Stay'));

/** Ids of the tasks of the collection. */
const eachOf = ({ tasks }: Body): string[] =>
  idsOf((tasks as readonly Body[]).filter(({ name }) => name === 'Each'));

describe('completing a task', () => {
  it('hands its form to the case, which goes on', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();

    const { status, body, headers } = await api.act('complete', id, ann, {
      formData: { approved: false, amount: 5 },
      variables: { approved: true },
      outcome: 'yes',
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      task: {
        ...{ taskId: id, status: 'COMPLETED', assignee: 'ann', completedBy: 'ann', outcome: 'yes' },
        allowedActions: [],
        version: 2,
      },
      case: { state: 'active' },
      nextTasks: [{ name: 'Write', allowedActions: ['claim', 'complete', 'saveDraft'] }],
    });
    expect(headers.etag).toBe('"2"');
    const stored = await api.getCase(
      String((body.case as { caseInstanceId: string }).caseInstanceId),
    );
    expect(stored.variables).toEqual({ approved: true, amount: 5, form_Review_outcome: 'yes' });
  });

  it('works the same under the path of the engine', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();

    const { status, body } = await api.post(
      `/api/v1/workflow/cmmn/tasks/${id}:complete`,
      { formData: { approved: true }, outcome: 'yes', comment: 'fine' },
      ann,
    );

    expect([status, idsOf(body.nextTasks).length]).toEqual([200, 1]);
    const comments = await api.get(`${TASKS}/${id}/comments`, ann);
    expect(comments.body.content).toMatchObject([{ text: 'fine', by: 'ann' }]);
  });

  it('ends the case when nothing is left', async () => {
    const api = await aTasksApi([aModel(aTask('Review', '', 'flowable:candidateGroups="clerks"'))]);
    const id = await api.aTaskId();

    const { body } = await api.act('complete', id, ann, { formData: { approved: false } });

    expect(body.case).toMatchObject({ state: 'completed' });
    expect(await api.list('', ann)).toEqual([]);
    expect(await api.list('/history', ann)).toEqual([id]);
  });

  it('works for one of two who ask at once, and the other is told', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();

    const answers = await Promise.all([ann, bob].map((user) => api.act('complete', id, user)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const late = answers.find(({ status }) => status === 409);
    expect(late?.body).toMatchObject({ code: 'TASK_NOT_ACTIVE', taskStatus: 'COMPLETED' });
  });

  it('arrives for all of 20 tasks of one case that are completed at once', async () => {
    const api = await aTasksApi([MANY]);
    const started = await api.start({
      variables: { all: Array.from({ length: 20 }, (_, i) => i) },
    });
    const ids = eachOf(started);
    api.context.db.holdTransactions(1);

    /** As a client does whose command has met others for too long: on a busy machine ten seconds are few. */
    const complete = async (id: string) => {
      let answer = await api.act('complete', id, ann);
      while (answer.body.code === 'CONCURRENT_UPDATE') answer = await api.act('complete', id, ann);
      return answer;
    };
    const answers = await Promise.all(ids.map(complete));

    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    const { tasks } = await api.getCase(String(started.caseInstanceId));
    expect(tasks).toMatchObject([{ name: 'Stay' }]);
    expect(await api.list('', ann)).toEqual([]);
  });

  it('is refused to others, and for fields that have names of the engine', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();

    const foreign = await api.act('complete', id, eve);
    const wrong = await api.act('complete', id, ann, { formData: { caseInstance: 1 } });

    expect(foreign.status).toBe(403);
    expect([wrong.status, wrong.body.errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: '/formData/caseInstance' })],
    ]);
  });

  it('is refused to an administrator while somebody has it', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();
    await api.act('claim', id, ann);

    const { status, body } = await api.act('complete', id, operator);

    expect([status, body.code, body.assignee]).toEqual([409, 'TASK_CLAIMED_BY_OTHER', 'ann']);
  });

  it('is done once for a key', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();
    const key = { 'idempotency-key': 'k1' };

    const first = await api.act('complete', id, ann, {}, key);
    const replay = await api.act('complete', id, ann, {}, key);

    expect(replay.headers['idempotency-replayed']).toBe('true');
    expect(replay.body).toEqual(first.body);
  });
});

describe('interceptors of completions', () => {
  it('are told of task, case, principal and request before and after', async () => {
    const seen: unknown[] = [];
    const tell = (when: string) => (context: TaskCompletionContext, request: object) => {
      const { task, case: around, principal } = context;
      seen.push([when, task.taskDefinitionKey, around.variables, principal.id, request]);
    };
    const api = await aTasksApi([MODEL], {
      host: {
        taskCompletionInterceptors: [
          { beforeComplete: tell('before'), afterComplete: tell('after') },
        ],
      },
    });
    const id = await api.aTaskId({ variables: { amount: 7 } });

    await api.act('complete', id, ann, { outcome: 'no' });

    expect(seen).toEqual([
      ['before', 'Review', { amount: 7 }, 'ann', { outcome: 'no' }],
      ['after', 'Review', { amount: 7 }, 'ann', { outcome: 'no' }],
    ]);
  });

  it('reject a completion by throwing: nothing changes, and nobody is told afterwards', async () => {
    let after = 0;
    const api = await aTasksApi([MODEL], {
      host: {
        taskCompletionInterceptors: [
          {
            beforeComplete: () => {
              throw new Error('The budget is spent.');
            },
            afterComplete: () => {
              after += 1;
            },
          },
        ],
      },
    });
    const id = await api.aTaskId();

    const { status, body } = await api.act('complete', id, ann);

    expect([status, body.code, body.detail]).toEqual([
      ...[422, 'TASK_COMPLETION_REJECTED', 'The budget is spent.'],
    ]);
    expect((await api.get(`${TASKS}/${id}`, ann)).body).toMatchObject({ status: 'PENDING' });
    expect(after).toBe(0);
  });

  it('share their time: many slow ones take no longer than one may', async () => {
    const begun: string[] = [];
    const slow = {
      beforeComplete: () => {
        begun.push('before');
        return new Promise<void>((resolve) => setTimeout(resolve, 60));
      },
    };
    const hanging = {
      afterComplete: () => {
        begun.push('after');
        return new Promise<void>(() => undefined);
      },
    };
    const of = async (interceptors: NonNullable<Host['taskCompletionInterceptors']>) => {
      const host = { taskCompletionInterceptors: interceptors };
      const api = await aTasksApi([MODEL], { host, limitMs: 100 });
      return (await api.act('complete', await api.aTaskId(), ann)).status;
    };

    const statuses = [await of([slow, slow, slow, slow]), await of([hanging, hanging, hanging])];

    expect(statuses).toEqual([422, 200]);
    expect(begun.filter((when) => when === 'before').length).toBeLessThan(3);
    expect(begun.filter((when) => when === 'after')).toHaveLength(1);
  });

  it('reject it by not answering in time', async () => {
    const hanging = { beforeComplete: () => new Promise<void>(() => undefined) };
    const api = await aTasksApi([MODEL], {
      host: { taskCompletionInterceptors: [hanging] },
      limitMs: 20,
    });
    const id = await api.aTaskId();

    const { status, body } = await api.act('complete', id, ann);

    expect([status, body.code]).toEqual([422, 'TASK_COMPLETION_REJECTED']);
  });

  it('have ten seconds for their answer, before and after', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const waits: number[] = [];
    const pending = new Promise<void>(() => undefined);
    const hanging = (name: string) => ({
      [name]: () => {
        waits.push(vi.getTimerCount());
        return pending;
      },
    });
    const context = { task: { taskId: 't' } } as TaskCompletionContext;
    const log = capturedLog();
    const [before, after] = ['beforeComplete', 'afterComplete'].map(
      (name) =>
        new TaskInterceptors({
          host: { taskCompletionInterceptors: [hanging(name)] },
          hostTime: new HostTime(),
          log,
        }),
    );

    const outcome = before?.before(context, {}).catch(({ code }) => code);
    const told = after?.after(context, {});
    await vi.advanceTimersByTimeAsync(9_999);
    const early = await Promise.race([outcome, told, 'still waiting']);
    await vi.advanceTimersByTimeAsync(1);

    expect(early).toBe('still waiting');
    expect(await outcome).toBe('TASK_COMPLETION_REJECTED');
    await told;
    expect(JSON.stringify(log)).toContain('failed after a completion');
    expect(waits).toHaveLength(2);
  });

  it('run once for a request, also when its work is repeated within a key', async () => {
    const seen: string[] = [];
    const api = await aTasksApi([MANY], {
      host: {
        taskCompletionInterceptors: [
          {
            beforeComplete: ({ task }) => {
              seen.push(`before ${task.taskId}`);
            },
            afterComplete: ({ task }) => {
              seen.push(`after ${task.taskId}`);
            },
          },
        ],
      },
    });
    const started = await api.start({ variables: { all: [1, 2, 3, 4, 5, 6] } });
    const ids = eachOf(started);
    const commits = () =>
      api.context.db.meter.requests.filter(({ operation }) => operation === 'TransactWriteItems');
    const before = commits().length;
    api.context.db.failNext('conflict', { operation: 'TransactWriteItems', times: 3 });

    const answers = await Promise.all(
      ids.map((id) => api.act('complete', id, ann, {}, { 'idempotency-key': id })),
    );
    const replay = await api.act(
      'complete',
      ids[0] ?? '',
      ann,
      {},
      {
        'idempotency-key': ids[0] ?? '',
      },
    );

    expect([...answers, replay].map(({ status }) => status)).toEqual(Array(7).fill(200));
    expect(commits().length - before).toBeGreaterThanOrEqual(9);
    expect(seen.toSorted()).toEqual(ids.flatMap((id) => [`before ${id}`, `after ${id}`]).sort());
  });

  it('that fail afterwards are logged, and change nothing', async () => {
    const failing = {
      afterComplete: () => {
        throw new Error('no mail');
      },
    };
    const api = await aTasksApi([MODEL], { host: { taskCompletionInterceptors: [failing] } });
    const id = await api.aTaskId();

    expect((await api.act('complete', id, ann)).status).toBe(200);
    expect(JSON.stringify(api.context.log)).toContain('failed after a completion');
  });
});

describe('POST /tasks/bulk', () => {
  it('does the same with each task, and tells how it went', async () => {
    const api = await aTasksApi([MANY]);
    const started = await api.start({ variables: { all: [1, 2, 3] } });
    const [first = '', second = '', third = ''] = eachOf(started);
    await api.act('claim', first, bob);
    const run = async (body: object) =>
      (await api.post(`${TASKS}/bulk`, body, ann)).body.results as readonly object[];

    expect(await run({ action: 'claim', taskIds: [first, second, 'none'] })).toMatchObject([
      { taskId: first, status: 409, code: 'TASK_ALREADY_CLAIMED' },
      { taskId: second, status: 200 },
      { taskId: 'none', status: 404, code: 'TASK_NOT_FOUND' },
    ]);
    const done = await run({ action: 'complete', taskIds: [second, third], outcome: 'yes' });
    expect(done).toEqual([
      { taskId: second, status: 200 },
      { taskId: third, status: 200 },
    ]);
    const assigned = await run({ action: 'assign', assignee: 'bob', taskIds: [first] });
    expect(assigned).toMatchObject([{ status: 403, code: 'FORBIDDEN' }]);
  });

  it.each([
    { action: 'delete', taskIds: ['a'] },
    { action: 'claim', taskIds: [] },
    { action: 'claim', taskIds: ['a', 'a'] },
    { action: 'assign', taskIds: ['a'] },
  ])('refuses %j', async (body) => {
    const { status } = await (await aTasksApi([MODEL])).post(`${TASKS}/bulk`, body, ann);

    expect(status).toBe(400);
  });
});
