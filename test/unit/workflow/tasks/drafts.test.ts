import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, type Body, bob, eve, idsOf, operator, TASKS } from './tasks-api.ts';

const MODEL = aModel(aTask('Review', '', 'flowable:candidateGroups="clerks"') + aTask('Stay'));

async function aTaskWithDraft() {
  const api = await aTasksApi([MODEL]);
  const id = await api.aTaskId();
  const saved = await api.act('save-draft', id, ann, { formData: { amount: 5 } });
  const draft = (method: string) => api.call({ method, path: `${TASKS}/${id}/draft`, caller: ann });
  return { ...api, id, saved, draft };
}

describe('a draft', () => {
  it('is kept with its task, and replaced by the next one', async () => {
    const { id, act, saved, draft, get } = await aTaskWithDraft();
    expect(saved.body).toMatchObject({
      taskId: id,
      draft: { formData: { amount: 5 }, savedBy: 'ann' },
    });

    await act('save-draft', id, bob, { formData: { amount: 6 }, variables: { x: 1 } });

    expect((await draft('GET')).body.draft).toMatchObject({
      ...{ formData: { amount: 6 }, variables: { x: 1 }, savedBy: 'bob' },
    });
    const { body } = await get(`${TASKS}/${id}`, ann);
    expect(body).toMatchObject({ hasDraft: true, draft: { formData: { amount: 6 } }, version: 1 });
  });

  it('stays when somebody claims the task', async () => {
    const { id, act, get } = await aTaskWithDraft();

    await act('claim', id, ann);

    expect((await get(`${TASKS}/${id}`, ann)).body).toMatchObject({ hasDraft: true });
  });

  it.each([
    `{"list":${'['.repeat(50)}1${']'.repeat(50)}}`,
    '{"large":1e+300,"small":1e-300}',
    '{" ":{"":[null,""]},"pk":"TASK#x"}',
    '{"constructor":1,"toString":{"isAdmin":true}}',
  ])('is given back as it was saved: %s', async (text) => {
    const { id, act, draft } = await aTaskWithDraft();
    const given = JSON.parse(text);

    const { status } = await act('save-draft', id, ann, { formData: given, variables: given });

    expect(status).toBe(200);
    const { formData, variables } = (await draft('GET')).body.draft as Body;
    expect([formData, variables].map((value) => JSON.stringify(value))).toEqual([text, text]);
  });

  it('is thrown away', async () => {
    const { draft } = await aTaskWithDraft();

    expect((await draft('DELETE')).status).toBe(204);

    expect([(await draft('GET')).body.code, (await draft('DELETE')).body.code]).toEqual([
      ...['DRAFT_NOT_FOUND', 'DRAFT_NOT_FOUND'],
    ]);
  });

  it('goes when the task is completed', async () => {
    const { id, act, world } = await aTaskWithDraft();

    await act('complete', id, ann);

    expect(world.items(`TASK#${id} / DRAFT`)).toEqual([]);
    const late = await act('save-draft', id, ann, { formData: {} });
    expect([late.status, late.body.code]).toEqual([409, 'TASK_NOT_ACTIVE']);
  });

  it('is not for others, nor for candidates of a task that somebody has', async () => {
    const { id, act } = await aTaskWithDraft();
    const save = async (caller: typeof ann) =>
      (await act('save-draft', id, caller, { formData: {} })).status;

    expect(await save(eve)).toBe(403);
    await act('claim', id, ann);
    expect([await save(bob), await save(ann)]).toEqual([403, 200]);
  });

  it('has at most 100 KB', async () => {
    const { id, act } = await aTaskWithDraft();

    const { status, body } = await act('save-draft', id, ann, {
      formData: { text: 'x'.repeat(103_000) },
    });

    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

describe('remarks on a task', () => {
  it('are listed, newest first, to who sees the task', async () => {
    const api = await aTasksApi([MODEL]);
    const id = await api.aTaskId();

    const added = await api.act('comments', id, ann, { text: 'first' });
    await api.act('comments', id, bob, { text: 'second' });

    expect([added.status, added.body.text, added.body.by]).toEqual([201, 'first', 'ann']);
    const { body } = await api.get(`${TASKS}/${id}/comments`, bob);
    expect(body.content).toMatchObject([{ text: 'second' }, { text: 'first' }]);
    expect((await api.get(`${TASKS}/${id}/comments`, eve)).status).toBe(403);
  });
});

describe('a remark on a task whose case is deleted meanwhile', () => {
  const deleting = async () => {
    const api = await aTasksApi([aModel(aTask('Review', '', 'flowable:candidateGroups="clerks"'))]);
    const { caseInstanceId, tasks } = await api.start();
    const id = idsOf(tasks)[0] ?? '';
    await api.act('complete', id, ann);
    const path = `/api/v1/workflow/cmmn/cases/${caseInstanceId}`;
    return {
      ...api,
      remark: () => api.act('comments', id, operator, { text: 'secret' }),
      remove: () => api.call({ method: 'DELETE', path, caller: operator }),
      left: () => api.world.items(`TASK#${id}`),
      /** Does something once, before the next request of an operation. */
      once: (operation: string, work: () => Promise<unknown>) => {
        const off = api.world.db.before(operation, async () => {
          off();
          await work();
        });
      },
    };
  };

  it('is refused when the case goes first', async () => {
    const { once, remark, remove, left } = await deleting();
    once('TransactWriteItems', remove);

    const { status, body } = await remark();

    expect([status, body.code]).toEqual([404, 'TASK_NOT_FOUND']);
    expect(left()).toEqual([]);
  });

  it('goes with the case when it comes first', async () => {
    const { once, remark, remove, left } = await deleting();
    const remarks: unknown[] = [];
    once('BatchWriteItem', async () => remarks.push((await remark()).status));

    const { status } = await remove();

    expect([status, remarks]).toEqual([204, [201]]);
    expect(left()).toEqual([]);
  });
});
