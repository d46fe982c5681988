import { describe, expect, it } from 'vitest';
import type { Host } from '../../../../shared/host/host.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, type Body, bob, operator, TASKS } from './tasks-api.ts';

const CLERKS = 'flowable:candidateGroups="clerks"';
/** A check and an approval at the same time, by two people; and something that anybody may do. */
const MODEL = aModel(
  [
    aTask('Check', '', CLERKS),
    aTask('Approve', '', `${CLERKS} flowable:excludeCompletersOf="Check, Other"`),
    aTask('Other', '', CLERKS),
    aTask('Free', '', CLERKS),
  ].join(''),
);
const annToo = { ...ann, preferred_username: 'ann.clerk' };

async function aCase(options: Parameters<typeof aTasksApi>[1] = {}) {
  const api = await aTasksApi([MODEL], options);
  const { tasks, caseInstanceId } = await api.start();
  const taskOf = (key: string): string =>
    String((tasks as readonly Body[]).find(({ name }) => name === key)?.taskId);
  return { ...api, caseInstanceId, taskOf };
}

const REFUSED = [422, 'COMPLETER_EXCLUDED'];
const told = ({ status, body }: { status: number; body: Body }) => [status, body.code];

describe('who has completed a task', () => {
  it('is kept from the tasks that exclude its completers, by whatever way', async () => {
    const { act, post, taskOf } = await aCase();
    await act('complete', taskOf('Check'), ann);
    const approve = taskOf('Approve');

    const claimed = await act('claim', approve, ann);
    const completed = await act('complete', approve, ann);
    const assigned = await act('assign', approve, operator, { assignee: 'ann' });
    const bulk = (body: object) =>
      post(`${TASKS}/bulk`, { ...body, taskIds: [approve] }, ann).then(
        ({ body: { results } }) => (results as readonly Body[])[0]?.code,
      );
    const inBulk = [await bulk({ action: 'claim' }), await bulk({ action: 'complete' })];
    await act('claim', approve, bob);
    const delegated = await act('delegate', approve, bob, { assignee: 'ann' });

    expect([claimed, completed, assigned, delegated].map(told)).toEqual(Array(4).fill(REFUSED));
    expect(claimed.body).toMatchObject({ user: 'ann', taskDefinitionKey: 'Check' });
    expect(inBulk).toEqual(['COMPLETER_EXCLUDED', 'COMPLETER_EXCLUDED']);
    expect(told(await act('complete', approve, bob))).toEqual([200, undefined]);
  });

  it('is known by id and username', async () => {
    const { act, taskOf } = await aCase();
    await act('complete', taskOf('Check'), annToo);
    const approve = taskOf('Approve');

    for (const assignee of ['ann', 'ann.clerk']) {
      const assigned = await act('assign', approve, operator, { assignee });

      expect(told(assigned)).toEqual(REFUSED);
    }
  });

  it('may do the others, and the same of another case', async () => {
    const { act, taskOf, start } = await aCase();
    await act('complete', taskOf('Check'), ann);
    const { tasks } = await start();
    const other = (tasks as readonly Body[]).find(({ name }) => name === 'Approve');

    expect(told(await act('complete', taskOf('Free'), ann))).toEqual([200, undefined]);
    expect(told(await act('complete', taskOf('Other'), ann))).toEqual([200, undefined]);
    expect(told(await act('claim', String(other?.taskId), ann))).toEqual([200, undefined]);
  });

  it('cannot complete a task that was claimed before, not even when that is under way', async () => {
    const host: Partial<Host> = {
      taskCompletionInterceptors: [
        {
          beforeComplete: async ({ task }) => {
            if (task.taskDefinitionKey === 'Approve') await api.act('complete', check, ann);
          },
        },
      ],
    };
    const api = await aCase({ host });
    const [approve, check] = [api.taskOf('Approve'), api.taskOf('Check')];
    await api.act('claim', approve, ann);

    expect(told(await api.act('complete', approve, ann))).toEqual(REFUSED);
    expect(told(await api.act('complete', approve, ann))).toEqual(REFUSED);
  });

  it('costs tasks without exclusions nothing', async () => {
    const { act, taskOf, context } = await aCase();
    const cost = await context.db.meter.costOf(() => act('claim', taskOf('Free'), ann));

    expect(cost.requests).toEqual(['BatchGetItem 1', 'TransactWriteItems 10']);
  });
});
