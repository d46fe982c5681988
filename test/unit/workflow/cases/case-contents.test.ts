import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, type Body, idsOf, operator } from '../tasks/tasks-api.ts';

const CASES = '/api/v1/workflow/cmmn/cases';
const CLERKS = 'flowable:candidateGroups="clerks"';

/** Two tasks, and one that is repeated until somebody is content. */
const MODEL = aModel(`
${aTask('Review', '', `${CLERKS} flowable:formKey="review-form"`)}
<planItem id="piSign" name="Sign" definitionRef="Sign"/><humanTask id="Sign" name="Sign" ${CLERKS}/>
<planItem id="piAsk" name="Ask" definitionRef="Ask"><itemControl>
  <repetitionRule flowable:counterVariable="round"><condition><![CDATA[\${!content}]]></condition></repetitionRule>
</itemControl></planItem>
<humanTask id="Ask" name="Ask" ${CLERKS}/>`);

const itemsOf = (items: unknown) =>
  new Map((items as readonly Body[]).map((item) => [item.planItemDefinitionKey, item]));

async function aCase() {
  const api = await aTasksApi([MODEL]);
  const started = await api.start({ variables: { content: false } });
  const path = `${CASES}/${started.caseInstanceId}`;
  const tasks = new Map(
    (started.tasks as readonly Body[]).map((task) => [task.taskDefinitionKey, task]),
  );
  const idOf = (key: string) => String(tasks.get(key)?.taskId);
  return { ...api, started, path, tasks, idOf };
}

describe('the tasks in the answer about a case', () => {
  it('are those of the list of tasks, with what the caller may do', async () => {
    const { started, get, idOf } = await aCase();
    const { body: task } = await get(`/api/v1/tasks/${idOf('Review')}`, operator);

    expect(started.tasks).toContainEqual(task);
    expect(task).toMatchObject({
      ...{ formKey: 'review-form', engine: 'CMMN', version: 1, hasDraft: false },
      ...{ workflowCode: 'theCase', definitionVersion: 1, allowedActions: [] },
    });
  });

  it('are a list of their own, page by page in the order of their creation', async () => {
    const { get, path, started } = await aCase();
    const clerk = { ...operator, groups: ['clerks'] };

    const first = await get(`${path}/tasks?size=2`, clerk);
    const second = await get(`${path}/tasks?cursor=${first.body.nextCursor}&size=2`, clerk);

    expect([...idsOf(first.body.content), ...idsOf(second.body.content)]).toEqual(
      idsOf(started.tasks),
    );
    expect(second.body.nextCursor).toBeNull();
    expect(first.body.content).toMatchObject([
      { allowedActions: ['claim', 'complete', 'saveDraft'] },
      {},
    ]);
  });

  it('are shown to who may see cases only', async () => {
    const { get, path } = await aCase();

    expect((await get(`${path}/tasks`, ann)).status).toBe(403);
    expect((await get(`${CASES}/none/tasks`, operator)).body.code).toBe('CASE_NOT_FOUND');
  });
});

describe('a plan item in the answer about a case', () => {
  it('has the assignee of its task, as it was changed last', async () => {
    const { act, getCase, get, path, started, idOf } = await aCase();
    await act('claim', idOf('Review'), ann);

    const seen = itemsOf((await getCase(String(started.caseInstanceId))).planItems);
    const listed = itemsOf((await get(`${path}/plan-items`, operator)).body.content);

    expect([seen.get('Review')?.assignee, listed.get('Review')?.assignee]).toEqual(['ann', 'ann']);
    expect(seen.get('Sign')).not.toHaveProperty('assignee');

    await act('unclaim', idOf('Review'), ann);
    const freed = itemsOf((await getCase(String(started.caseInstanceId))).planItems);
    expect(freed.get('Review')).not.toHaveProperty('assignee');
  });

  it('says which of its repetition it is, also when it has ended with its task', async () => {
    const { act, get, path, idOf, started } = await aCase();
    const [asked] = [idOf('Ask')];
    const { body } = await act('complete', asked, ann);

    const open = itemsOf((await get(`${path}/plan-items`, operator)).body.content);
    const ended = itemsOf((await get(`${path}/plan-items?ended=true`, operator)).body.content);

    expect(body.nextTasks).toHaveLength(1);
    expect(itemsOf(started.planItems).get('Ask')).toMatchObject({ repetitionCounter: 1 });
    expect(open.get('Ask')).toMatchObject({ repetitionCounter: 2 });
    expect(open.get('Review')).not.toHaveProperty('repetitionCounter');
    expect(ended.get('Ask')).toMatchObject({
      ...{ repetitionCounter: 1, state: 'completed', assignee: 'ann', taskId: asked },
      endedAt: expect.any(String),
    });
  });
});

describe('the outcome of the form with which a case is started', () => {
  it('is a variable that its model reads, unless one of that name is given', async () => {
    const { start, post } = await aTasksApi([MODEL]);
    const variables = { content: true };

    const said = await start({ variables, outcome: 'express' });
    const named = await start({
      variables: { ...variables, form_theCase_outcome: 'slow' },
      outcome: 'express',
    });
    const empty = await post(CASES, { workflowCode: 'theCase', outcome: '' }, operator);

    expect(said.variables).toEqual({ ...variables, form_theCase_outcome: 'express' });
    expect(named.variables).toMatchObject({ form_theCase_outcome: 'slow' });
    expect(empty.body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/outcome' }],
    });
  });
});
