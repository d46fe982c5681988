import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, bob, operator, TASKS } from '../tasks/tasks-api.ts';

const BROKER = { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } };
const MODEL = aModel(aTask('Review', '', 'flowable:candidateGroups="clerks"'));

async function aWorld(svc: object = {}) {
  const api = await aTasksApi([MODEL], { world: { svc: { ...BROKER, ...svc } } });
  const id = await api.aTaskId({ businessKey: 'B1', entityType: 'loan', entityId: 'L1' });
  const sent = (): Readonly<Record<string, unknown>>[] =>
    api.context.bus.events.map(({ envelope: { type, subject, data } }) => ({
      ...{ type, key: subject },
      ...(data as Readonly<Record<string, unknown>>),
    }));
  const patch = (body: object) =>
    api.call({ method: 'PATCH', path: `${TASKS}/${id}`, body, caller: operator });
  return { ...api, id, sent, patch };
}

describe('events of what people do with tasks', () => {
  it('tell who has claimed, given back, got, delegated, returned, changed and drafted them', async () => {
    const { act, id, sent, patch } = await aWorld();

    await act('claim', id, ann);
    await act('claim', id, ann);
    await act('unclaim', id, ann);
    await act('assign', id, operator, { assignee: 'ann' });
    await act('delegate', id, ann, { assignee: 'bob' });
    await act('save-draft', id, bob, { formData: { secret: 'hush' } });
    await act('resolve', id, bob, { comment: 'a remark' });
    await patch({ priority: 80 });

    const shown = sent().map(({ type, actor, status, assignee, previousAssignee, taskVersion }) => [
      ...[type, actor, status, assignee, previousAssignee, taskVersion],
    ]);
    expect(shown).toEqual([
      ['workflow.task.claimed', 'ann', 'CLAIMED', 'ann', undefined, 2],
      ['workflow.task.unclaimed', 'ann', 'PENDING', undefined, 'ann', 3],
      ['workflow.task.assigned', 'op', 'CLAIMED', 'ann', undefined, 4],
      ['workflow.task.delegated', 'ann', 'DELEGATED', 'bob', 'ann', 5],
      ['workflow.task.draft-saved', 'bob', 'DELEGATED', 'bob', 'bob', 5],
      ['workflow.task.resolved', 'bob', 'CLAIMED', 'ann', 'bob', 6],
      ['workflow.task.updated', 'op', 'CLAIMED', 'ann', 'ann', 7],
    ]);
    const [first] = sent();
    expect(first).toMatchObject({
      ...{ tenantCode: '', workflowCode: 'theCase', definitionVersion: 1, businessKey: 'B1' },
      ...{ entityType: 'loan', entityId: 'L1', taskId: id, engineTaskId: id, name: 'Review' },
      key: first?.caseInstanceId,
    });
    expect(JSON.stringify(sent())).not.toMatch(/hush|a remark/);
  });

  it('are none of what is refused, and none without messaging', async () => {
    const { act, id, sent } = await aWorld();
    const off = await aWorld({ mq: { enabled: false } });

    const refused = await act('unclaim', id, bob);
    const claimed = await off.act('claim', off.id, ann);

    expect([refused.status, claimed.status]).toEqual([409, 200]);
    expect([...sent(), ...off.sent()]).toEqual([]);
  });

  it('tell that a delegated task is back when its delegate completes it', async () => {
    const { act, id, sent } = await aWorld();
    await act('claim', id, ann);
    await act('delegate', id, ann, { assignee: 'bob' });

    await act('complete', id, bob);

    expect(sent().at(-1)).toMatchObject({
      ...{ type: 'workflow.task.resolved', actor: 'bob', assignee: 'ann' },
      ...{ previousAssignee: 'bob', delegationState: 'RESOLVED' },
    });
  });

  it('are chosen by svc.workflow.events', async () => {
    const events = ['*', '!workflow.task.claimed'];
    const { act, id, sent } = await aWorld({ workflow: { events } });

    await act('claim', id, ann);
    await act('unclaim', id, ann);

    expect(sent().map(({ type }) => type)).toEqual(['workflow.task.unclaimed']);
  });
});
