import { describe, expect, it } from 'vitest';
import type { WorkflowRuntimeService } from '../../../../shared/ports/workflow-runtime.ts';
import { runInContext } from '../../../../shared/primitives/request-context.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, type Body, bob, idsOf, TASKS } from './tasks-api.ts';

const CLERKS = 'flowable:candidateGroups="clerks"';
const MODEL = aModel(aTask('Review', '', CLERKS) + aTask('Stay'));
const principalOf = (id: string) => ({
  ...{ id, username: id, authenticated: true, roles: [], groups: ['clerks'] },
  ...{ permissions: [], claims: {} },
});
const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MANY = aModel(aTask('Each', EACH, CLERKS) + aTask('Stay'));

describe('a draft and the end of its task', () => {
  it('leaves no draft behind when it is saved while the task is completed', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();
    let saved: Promise<{ status: number }> | undefined;
    const end = api.context.db.before('TransactWriteItems', async () => {
      end();
      saved = api.act('save-draft', id, ann, { formData: { amount: 5 } });
      await saved;
    });

    const done = await api.act('complete', id, ann);

    expect([(await saved)?.status, done.status]).toEqual([200, 200]);
    expect(api.world.items(`TASK#${id} / DRAFT`)).toEqual([]);
  });

  it('is not said to be there any more once the task has ended', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();
    await api.act('save-draft', id, ann, { formData: { amount: 5 } });

    const done = await api.act('complete', id, ann);

    expect(done.body.task).toMatchObject({ hasDraft: false });
    expect((await api.get(`${TASKS}/${id}`, ann)).body).toMatchObject({ hasDraft: false });
  });
});

describe('POST /tasks/bulk', () => {
  it('tells the outcome of each when one fails unexpectedly', async () => {
    const broken: string[] = [];
    const api = await aTasksApi([MANY], {
      host: {
        workflowTaskAuthorizationService: {
          isAllowed: (_operation, task) => {
            if (task && broken.includes(task.taskId)) throw new Error('the policy is broken');
            return true;
          },
        },
      },
    });
    const started = await api.start({ variables: { all: [1, 2, 3] } });
    const ids = idsOf((started.tasks as readonly Body[]).filter(({ name }) => name === 'Each'));
    broken.push(ids[1] ?? '');

    const { status, body } = await api.post(
      `${TASKS}/bulk`,
      { action: 'claim', taskIds: ids },
      ann,
    );

    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { status: 200 },
      { status: 503, code: 'SERVICE_UNAVAILABLE' },
      { status: 200 },
    ]);
  });
});

describe('interceptors', () => {
  it('are asked about each form that a request completes a task with', async () => {
    const asked: unknown[] = [];
    let runtime: WorkflowRuntimeService | undefined;
    const api = await aTasksApi([MODEL], {
      host: {
        taskCompletionInterceptors: [
          {
            beforeComplete: (context, { formData }) => {
              runtime = context.runtime;
              asked.push(formData?.amount);
              if (formData?.amount === 0) throw new Error('too little');
            },
          },
        ],
      },
    });
    const id = await api.aTaskId();
    await api.act('complete', id, ann, { formData: { amount: 0 } });
    const complete = (amount: number) =>
      runtime?.completeTask(id, { formData: { amount } }, principalOf('ann')).then(
        ({ task }) => task.status,
        (error) => error.code,
      );

    const results = await runInContext({ traceId: 't' }, async () => [
      await complete(0),
      await complete(0),
      await complete(1),
    ]);

    expect(results).toEqual(['TASK_COMPLETION_REJECTED', 'TASK_COMPLETION_REJECTED', 'COMPLETED']);
    expect(asked).toEqual([0, 0, 1]);
  });
});

describe('hostile values', () => {
  it.each([
    '{"formData":{"__proto__":{"isAdmin":true}}}',
    '{"formData":{"constructor":1,"toString":2}}',
    `{"formData":{"a":${'['.repeat(50)}1${']'.repeat(50)}}}`,
    `{"formData":{"a":${'['.repeat(101)}1${']'.repeat(101)}}}`,
    `{"formData":{"a":"${'x'.repeat(300_000)}"}}`,
    '{"formData":{"":1}}',
    '{"formData":{"a.b":1,"#a":2,"a/~b":3}}',
    '{"formData":{"a":1e400}}',
    '{"variables":{"__proto__":1}}',
  ])('of a form end in an answer: %j', async (text) => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();

    const { status, body } = await api.act('complete', id, ann, JSON.parse(text));

    expect([status < 500, body.code]).toEqual([
      true,
      status === 200 ? undefined : expect.any(String),
    ]);
    expect(({} as Body).isAdmin).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'a.b', '%23', '%00', 'x'.repeat(2_000), 'toString'])(
    'of filters by variables end in an answer: %s',
    async (name) => {
      const api = await aTasksApi([MODEL]);
      await api.aTaskId();
      for (const value of ['x', '[object Object]', '__proto__', 'x'.repeat(300)]) {
        const answer = await api.call({
          ...{ method: 'GET', caller: ann },
          path: `${TASKS}?var.${name}=${encodeURIComponent(value)}`,
        });
        expect(answer.status).toBeLessThan(500);
      }
    },
  );

  it('of the name of a user who is too long for keys harm no case', async () => {
    const api = await aTasksApi([MANY]);
    const long = { ...bob, sub: 'ữ'.repeat(255) };
    const started = await api.start({ variables: { all: [1, 2] } });
    const ids = idsOf((started.tasks as readonly Body[]).filter(({ name }) => name === 'Each'));
    const named = { ...ann, preferred_username: 'x'.repeat(3_000) };

    const claimed = await api.act('claim', ids[0] ?? '', long);
    const listed = await api.get(TASKS, long);
    const own = await api.get(TASKS, named);
    const done = await api.act('complete', ids[1] ?? '', named);

    expect([claimed.status, listed.status]).toEqual([403, 403]);
    expect([own.status, done.status]).toEqual([200, 200]);
  });

  it('of task keys and users together do not pass the limit of a key', async () => {
    const key = `k${'a'.repeat(250)}`;
    const sub = 'ữ'.repeat(85);
    const model = aModel(
      aTask(key, '', CLERKS) +
        aTask('Approve', '', `${CLERKS} flowable:excludeCompletersOf="${key}"`),
    );
    const api = await aTasksApi([model]);
    const tasks = (await api.start()).tasks as readonly Body[];
    const taskOf = (task: string) => String(tasks.find(({ name }) => name === task)?.taskId);
    const done = await api.act('complete', taskOf(key), { ...bob, sub });
    const refused = await api.act('claim', taskOf('Approve'), { ...bob, sub });
    expect([done.status, refused.status]).toEqual([200, 422]);
  });
});

describe('numbers that the table cannot hold', () => {
  it.each([1e300, 1e-300])('are left out of task lists, and kept by the case: %d', async (city) => {
    const world = { deployment: { taskVariables: ['city', 'age'] } };
    const api = await aTasksApi([MODEL], { world });

    const { caseInstanceId } = await api.start({ variables: { city, age: 7 } });

    const listed = (await api.get(TASKS, ann)).body.content as readonly Body[];
    expect(listed.map(({ variables }) => variables)).toEqual([{ age: 7 }]);
    expect((await api.getCase(String(caseInstanceId))).variables).toEqual({ city, age: 7 });
  });

  it('are no priority of a task', async () => {
    const priority = `${CLERKS} flowable:priority="\${given}"`;
    const api = await aTasksApi([aModel(aTask('Review', '', priority) + aTask('Stay'))]);

    const { status, code } = await api.start({ variables: { given: 1e300 } });

    expect([status, code]).toEqual([422, 'EXPRESSION_ERROR']);
  });
});

describe('a completion with more writes than a transaction', () => {
  it('is refused when somebody else has claimed the task meanwhile', async () => {
    const entered = `${EACH}<entryCriterion id="enter" sentryRef="reviewed"/>`;
    const model = aModel(
      [
        aTask('Review', '', CLERKS),
        aTask('Each', entered, CLERKS),
        aSentry('reviewed', 'piReview'),
        aTask('Stay'),
      ].join(''),
    );
    const api = await aTasksApi([model]);
    const id = await api.aTaskId();
    const all = Array.from({ length: 60 }, (_, at) => at);
    const end = api.context.db.before('TransactWriteItems', async () => {
      end();
      await api.act('claim', id, bob);
    });

    const { status, body } = await api.act('complete', id, ann, { variables: { all } });

    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    const { body: task } = await api.get(`${TASKS}/${id}`, bob);
    expect(task).toMatchObject({ status: 'CLAIMED', assignee: 'bob' });
  });
});
