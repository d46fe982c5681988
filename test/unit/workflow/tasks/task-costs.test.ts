import { beforeAll, describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { ann, aTasksApi, type Body, bob, idsOf, TASKS } from './tasks-api.ts';

const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MODEL = aModel(aTask('Each', EACH, 'flowable:candidateGroups="clerks"'));
const FEW = 30;
const MANY = 150;

/** What somebody pays with so many tasks open to the group, of which another one has all but 25. */
async function costsWith(count: number) {
  const api = await aTasksApi([MODEL]);
  const started = await api.start({
    variables: { all: Array.from({ length: count }, (_, i) => i) },
  });
  const ids = idsOf((started.tasks as readonly Body[]).filter(({ name }) => name === 'Each'));
  const others = ids.slice(25);
  for (let at = 0; at < others.length; at += 100) {
    const body = { action: 'claim', taskIds: others.slice(at, at + 100) };
    await api.post(`${TASKS}/bulk`, body, bob);
  }
  const [first = ''] = ids;
  const { meter } = api.context.db;
  const list = (query: string) => meter.costOf(() => api.get(`${TASKS}?size=20${query}`, ann));
  return {
    mine: await list(''),
    byDueDate: await list('&sort=dueDate'),
    claim: await meter.costOf(() => api.act('claim', first, ann)),
    draft: await meter.costOf(() => api.act('save-draft', first, ann, { formData: { a: 1 } })),
    open: (await api.get(`${TASKS}/count`, ann)).body.count,
  };
}

describe('what tasks cost', () => {
  let few: Awaited<ReturnType<typeof costsWith>>;
  let many: Awaited<ReturnType<typeof costsWith>>;
  beforeAll(async () => {
    [few, many] = [await costsWith(FEW), await costsWith(MANY)];
  });

  it.each(['mine', 'byDueDate', 'claim', 'draft'] as const)(
    'does not grow with the tasks that are open: %s',
    (operation) => {
      expect(many.open).toBe(25);
      expect(many[operation]).toEqual(few[operation]);
    },
  );

  it('does not grow with the groups of others', async () => {
    const api = await aTasksApi([MODEL]);
    await api.start({ variables: { all: [1] } });
    const { db } = api.context;
    const cost = () => db.meter.costOf(() => api.get(TASKS, ann));
    const before = await cost();
    const groups = Array.from({ length: 5_000 }, (_, at) => `team of case ${at}`);
    db.load(groups.map((sk) => ({ pk: 'TASKIDX##GROUPS', sk })));

    expect(await cost()).toEqual(before);
  });

  it('is few requests for a claim, and for a page of a user in one group', () => {
    expect(few.claim).toEqual({
      requests: ['BatchGetItem 1', 'TransactWriteItems 10'],
      readUnits: 1,
      writeUnits: 20,
    });
    expect(few.mine.requests).toEqual([
      ...['BatchGetItem 2', 'Query 0', 'Query 0', 'Query 21', 'BatchGetItem 20', 'BatchGetItem 1'],
    ]);
  });
});
