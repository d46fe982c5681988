import { describe, expect, it } from 'vitest';
import { bpmnXml, chain, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { ann, aProcessApi, PROCESSES } from './processes-api.ts';

const xml = bpmnXml(
  `<startEvent id="s"/>${userTask('a')}${userTask('b', 'flowable:candidateGroups="clerks" flowable:dueDate="PT2H"')}${chain('s', 'a', 'b')}`,
);

async function anEndedProcess(changes = 3) {
  const api = await aProcessApi(xml);
  const { id, activities } = await api.start();
  await api.send('POST', `/api/v1/tasks/${activities[0]?.taskId}/complete`, {}, ann);
  for (let at = 0; at < changes; at += 1) {
    await api.send('PUT', `${PROCESSES}/${id}/variables`, { at });
  }
  await api.send('POST', `${PROCESSES}/${id}/terminate`, {});
  const left = () =>
    api.context.db
      .items()
      .filter(({ pk, type }) => /^(?:CASE|PROC|TASK)/.test(String(pk)) && type !== 'message')
      .map(({ pk, sk }) => `${pk} / ${sk}`)
      .filter((key) => !/@codes|@keys|@versions|MODEL|GROUPS/.test(key));
  return { ...api, id, left };
}

describe('a process that is deleted', () => {
  it('leaves nothing behind, however long its history is', async () => {
    const { id, send, left } = await anEndedProcess(120);

    expect((await send('DELETE', `${PROCESSES}/${id}`)).status).toBe(204);

    expect(left()).toEqual([]);
    expect((await send('DELETE', `${PROCESSES}/${id}`)).status).toBe(404);
  });

  it.each([
    ['BatchWriteItem', 1],
    ['BatchWriteItem', 3],
    ['TransactWriteItems', 2],
  ])('and whose process is killed at %s %i goes by the sweep', async (kind, nth) => {
    const { id, send, left, context, services } = await anEndedProcess();
    let seen = 0;
    const revive = context.db.before(kind, () => {
      seen += 1;
      if (seen >= nth) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    await send('DELETE', `${PROCESSES}/${id}`);
    revive();
    expect(left()).not.toEqual([]);
    expect((await send('GET', `${PROCESSES}/${id}`)).status).toBe(404);

    context.machineClock.advance(61_000);
    const swept = await services().processes?.deletion.sweep();

    expect(swept).toBe(1);
    expect(left()).toEqual([]);
  });
});

describe('a task of a process that is due', () => {
  it('reminds people before and when it is due, once each, and has no rows when it has ended', async () => {
    const api = await aProcessApi(xml);
    const { id, activities } = await api.start();
    await api.send('POST', `/api/v1/tasks/${activities[0]?.taskId}/complete`, {}, ann);
    const due = () => api.context.db.items().filter(({ pk }) => /^TASKDUE#\d/.test(String(pk)));
    expect(due()).toHaveLength(2);
    const run = () => api.services().reminders.run();

    await run();
    await run();
    expect(api.events('workflow.task.due-soon')).toMatchObject([
      { caseInstanceId: id, taskDefinitionKey: 'b' },
    ]);
    expect(api.events('workflow.task.overdue')).toEqual([]);
    api.context.machineClock.advance(7_300_000);
    await run();
    await run();

    expect(api.events('workflow.task.overdue')).toMatchObject([{ taskDefinitionKey: 'b' }]);
    expect(due()).toEqual([]);
    expect(api.events('workflow.task.created').map((data) => 'reminders' in data)).toEqual([
      false,
      false,
    ]);
  });
});
