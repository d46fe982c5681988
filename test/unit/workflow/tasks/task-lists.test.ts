import { beforeAll, describe, expect, it } from 'vitest';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import {
  ann,
  aTasksApi,
  type Body,
  bob,
  eve,
  idsOf,
  operator,
  TASKS,
  type TasksApi,
} from './tasks-api.ts';

const HOUR_MS = 3_600_000;
/** Who may do the task, when it is due and how urgent it is, the case tells when it starts. */
const MODEL = aModel(
  aTask(
    'Review',
    '',
    `flowable:candidateGroups="\${group}" flowable:candidateUsers="\${user}" flowable:assignee="\${who}" flowable:dueDate="\${due}" flowable:priority="\${urgency}"`,
  ),
);

interface TaskWish {
  readonly group?: string;
  readonly user?: string;
  readonly who?: string;
  readonly due?: string;
  readonly urgency?: number;
  readonly city?: string;
  readonly entityId?: string;
}

async function aBoard() {
  const api = await aTasksApi([MODEL], { world: { deployment: { taskVariables: ['city'] } } });
  const names = new Map<string, string>();
  const task = async (name: string, { entityId, ...wish }: TaskWish): Promise<void> => {
    api.world.context.clock.advance(HOUR_MS);
    const none = { group: null, user: null, who: null, due: null, urgency: 50, city: null };
    const variables = { ...none, ...wish };
    const entity = entityId === undefined ? {} : { entityType: 'loan', entityId };
    names.set(await api.aTaskId({ variables, ...entity }), name);
  };
  const list = async (query: string, caller: TestClaims): Promise<string[]> =>
    (await api.list(query, caller)).map((id) => names.get(id) ?? id);
  const idOf = (name: string) => [...names].find(([, known]) => known === name)?.[0] ?? '';
  return { ...api, task, list, idOf, names };
}

type Board = Awaited<ReturnType<typeof aBoard>>;

describe('GET /tasks', () => {
  let board: Board;
  beforeAll(async () => {
    board = await aBoard();
    const [may, june] = ['2026-05-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z'];
    await board.task('own', { who: 'ann', due: june, urgency: 10 });
    await board.task('for clerks', { group: 'clerks', due: may, urgency: 90, city: 'Hue' });
    await board.task('for ann', { user: 'ann', urgency: 20, city: 'Vinh' });
    await board.task('of bob', { group: 'clerks', who: 'bob', entityId: '7' });
    await board.task('for others', { group: 'cashiers', entityId: '7' });
    await board.task('about 7', { group: 'clerks', entityId: '7' });
  });

  it.each([
    ['', ['about 7', 'for ann', 'for clerks', 'own']],
    ['?sort=createdAt', ['own', 'for clerks', 'for ann', 'about 7']],
    ['?sort=createdAt,desc', ['about 7', 'for ann', 'for clerks', 'own']],
    ['?sort=dueDate', ['for clerks', 'own', 'for ann', 'about 7']],
    ['?sort=-priority', ['for clerks', 'about 7', 'for ann', 'own']],
    ['?sort=priority&status=PENDING', ['own', 'for ann', 'about 7', 'for clerks']],
    ['?assignee=me', ['own']],
    ['?assignee=ann&priorityMin=11', []],
    ['?unassigned=true', ['about 7', 'for ann', 'for clerks']],
    ['?candidateGroup=clerks', ['about 7', 'for clerks']],
    ['?candidateGroup=clerks&includeAssigned=true', ['about 7', 'of bob', 'for clerks']],
    ['?includeAssigned=true', ['about 7', 'of bob', 'for ann', 'for clerks', 'own']],
    ['?entityType=loan&entityId=7', ['about 7', 'of bob']],
    ['?entityType=loan&entityId=7&sort=dueDate', ['of bob', 'about 7']],
    ['?status=CLAIMED', []],
    ['?priorityMin=50', ['about 7', 'for clerks']],
    ['?dueBefore=2026-05-15T00:00:00.000Z', ['for clerks']],
    ['?dueBefore=2026-05-15T00:00:00.000Z&sort=dueDate', ['for clerks']],
    ['?dueAfter=2026-05-15T00:00:00.000Z&sort=-dueDate', ['own']],
    ['?overdue=true', []],
    ['?search=REV', ['about 7', 'for ann', 'for clerks', 'own']],
    ['?search=pay', []],
    ['?workflowCode=theCase&taskDefinitionKey=Review&size=1', ['about 7']],
    ['?var.city=Hue', ['for clerks']],
    ['?var.town=Hue', []],
    ['/by-entity/loan/7/active', ['about 7', 'of bob']],
    ['/by-entity/loan/none/active', []],
  ])('with %s lists %j', async (query, expected) => {
    expect(await board.list(query, ann)).toEqual(expected);
  });

  it('counts when it is asked to, and not otherwise', async () => {
    const totals = async (query: string) => {
      const { body } = await board.get(`${TASKS}?size=1${query}`, ann);
      return [body.totalElements, body.totalPages, body.totalRelation];
    };

    expect(await totals('')).toEqual([null, null, 'unknown']);
    expect(await totals('&count=none')).toEqual([null, null, 'unknown']);
    expect(await totals('&count=auto')).toEqual([4, 4, 'eq']);
    expect(await totals('&count=auto&var.city=Hue')).toEqual([1, 1, 'eq']);
  });

  it('shows what was named at deployment, and what the caller may do', async () => {
    const { body } = await board.get(`${TASKS}?var.city=Hue`, ann);

    expect(body).toMatchObject({ totalElements: null, totalRelation: 'unknown' });
    expect(body.content).toMatchObject([
      { variables: { city: 'Hue' }, allowedActions: ['claim', 'complete', 'saveDraft'] },
    ]);
  });

  it('shows tasks of others to who may see cases', async () => {
    expect(await board.list('?assignee=bob', operator)).toEqual(['of bob']);
    expect(await board.list('/by-entity/loan/7/active', operator)).toEqual([
      ...['about 7', 'for others', 'of bob'],
    ]);
    for (const query of ['?assignee=bob', '?candidateGroup=cashiers', '?tenantCode=x']) {
      const tenant = query.includes('tenant') ? { tenant: 'acme' } : {};
      expect((await board.get(`${TASKS}${query}`, { ...ann, ...tenant })).status).toBe(403);
    }
    expect(await board.list('', { ...ann, tenant: 'acme' })).toEqual([]);
  });

  it.each([
    ['?town=Hue', 'town', 'UNKNOWN_PARAMETER'],
    ['?status=DONE', 'status', undefined],
    ['?sort=name', 'sort', 'INVALID_FORMAT'],
    ['?entityType=loan', 'entityId', undefined],
    ['?dueBefore=tomorrow', 'dueBefore', undefined],
    ['?size=0', 'size', undefined],
    ['?cursor=x', 'cursor', 'INVALID_CURSOR'],
  ])('refuses %s by the name of the parameter', async (query, parameter, code) => {
    const { status, body } = await board.get(`${TASKS}${query}`, ann);

    const [error] = body.errors as Body[];
    expect([status, error?.parameter]).toEqual([400, parameter]);
    if (code !== undefined) expect(error?.code).toBe(code);
  });

  it.each(['', '&sort=dueDate', '&sort=-priority', '&search=rev'])(
    'gives pages that follow each other (%s)',
    async (sort) => {
      const whole = await board.list(`?size=10${sort}`, ann);
      const walked: string[] = [];
      let cursor: unknown = '';
      for (let page = 0; cursor !== null; page += 1) {
        const from: string = page === 0 ? '' : `&cursor=${cursor}`;
        const { body } = await board.get(`${TASKS}?size=1${sort}${from}`, ann);
        expect(body.number).toBe(page);
        walked.push(...idsOf(body.content).map((id) => board.names.get(id) ?? ''));
        cursor = body.nextCursor;
      }
      expect(walked).toEqual(whole);
      expect(await board.list(`?size=1&page=2${sort}`, ann)).toEqual(whole.slice(2, 3));
    },
  );

  it.each([
    ...['assignee=me', 'assignee=ann&priorityMin=11', 'unassigned=true', 'candidateGroup=clerks'],
    ...['candidateGroup=clerks&includeAssigned=true', 'includeAssigned=true'],
    ...['entityType=loan&entityId=7', 'status=CLAIMED', 'status=PENDING', 'priorityMin=50'],
    ...['dueBefore=2026-05-15T00:00:00.000Z', 'dueAfter=2026-05-15T00:00:00.000Z', 'overdue=true'],
    ...['search=REV', 'search=pay', 'var.city=Hue', 'var.town=Hue', 'workflowCode=theCase'],
    ...['taskDefinitionKey=Review', 'createdAfter=2026-01-01T00:00:00.000Z'],
  ])('counts what the list has with %s', async (filter) => {
    const listed = await board.list(`?${filter}`, ann);

    const { body } = await board.get(`${TASKS}/count?${filter}`, ann);

    expect(body).toEqual({ count: listed.length, relation: 'eq' });
  });

  it.each([
    ['', ann, { count: 4, relation: 'eq' }],
    ['?var.city=Hue', ann, { count: 1, relation: 'eq' }],
    ['', eve, { count: 0, relation: 'eq' }],
  ])('counts with %s', async (query, caller, expected) => {
    expect((await board.get(`${TASKS}/count${query}`, caller)).body).toEqual(expected);
  });
});

describe('lists of tasks', () => {
  it('follow what happens to tasks', async () => {
    const board = await aBoard();
    await board.task('one', { group: 'clerks' });
    await board.task('two', { group: 'clerks', entityId: '7' });
    const lists = async () => [await board.list('', ann), await board.list('', bob)];

    await board.act('claim', board.idOf('two'), bob);
    expect(await lists()).toEqual([['one'], ['two', 'one']]);
    await board.act('delegate', board.idOf('two'), bob, { assignee: 'ann' });
    expect(await lists()).toEqual([['two', 'one'], ['one']]);
    await board.act('complete', board.idOf('two'), ann);
    expect(await lists()).toEqual([['one'], ['one']]);
    expect(await board.list('/by-entity/loan/7/active', ann)).toEqual([]);
    expect([await board.list('/history', ann), await board.list('/history', bob)]).toEqual([
      ...[['two'], []],
    ]);
  });

  it('sort tasks by a due date that was changed', async () => {
    const board = await aBoard();
    await board.task('one', { group: 'clerks', due: '2026-05-01T00:00:00.000Z' });
    await board.task('two', { group: 'clerks', due: '2026-05-02T00:00:00.000Z' });
    await board.call({
      method: 'PATCH',
      path: `${TASKS}/${board.idOf('two')}`,
      body: { dueDate: '2026-04-01T00:00:00.000Z' },
      caller: operator,
    });

    expect(await board.list('?sort=dueDate', ann)).toEqual(['two', 'one']);
  });

  it('of completed tasks have what the caller, or the assignee, has completed', async () => {
    const board = await aBoard();
    for (const name of ['one', 'two', 'three', 'open']) {
      await board.task(name, { group: 'clerks', ...(name === 'two' && { city: 'Hue' }) });
    }
    for (const [name, who] of [
      ['two', ann] as const,
      ['one', ann] as const,
      ['three', bob] as const,
    ]) {
      board.world.context.clock.advance(HOUR_MS);
      expect((await board.act('complete', board.idOf(name), who)).status).toBe(200);
    }
    const countOf = async (query: string) => (await board.get(`${TASKS}/count${query}`, ann)).body;

    expect(await board.list('?status=COMPLETED', ann)).toEqual(['one', 'two']);
    expect(await board.list('?status=COMPLETED&var.city=Hue', ann)).toEqual(['two']);
    expect(await board.list('?status=COMPLETED&assignee=bob', operator)).toEqual(['three']);
    expect(await board.list('', ann)).toEqual(['open']);
    expect(await countOf('?status=COMPLETED')).toEqual({ count: 2, relation: 'eq' });
    expect(await countOf('?status=COMPLETED&var.city=Hue')).toEqual({ count: 1, relation: 'eq' });
    expect((await board.get(`${TASKS}?status=COMPLETED&assignee=bob`, ann)).status).toBe(403);
    expect((await board.get(`${TASKS}?status=COMPLETED&status=PENDING`, ann)).body).toMatchObject({
      status: 400,
      errors: [{ parameter: 'status' }],
    });
  });

  it('of completed tasks go on where a page ended', async () => {
    const board = await aBoard();
    for (const name of ['one', 'two', 'three']) {
      await board.task(name, { group: 'clerks' });
      await board.act('complete', board.idOf(name), ann);
    }

    const first = (await board.get(`${TASKS}?status=COMPLETED&size=2`, ann)).body;
    const rest = await board.list(`?status=COMPLETED&size=2&cursor=${first.nextCursor}`, ann);

    expect([idsOf(first.content).map((id) => board.names.get(id)), rest]).toEqual([
      ['three', 'two'],
      ['one'],
    ]);
  });

  it('find the tasks of a user in 60 groups', async () => {
    const board = await aBoard();
    const groups = Array.from({ length: 60 }, (_, at) => `g${at}`);
    for (const group of ['g3', 'g41', 'g59', 'foreign']) await board.task(group, { group });

    expect(await board.list('', { sub: 'x', groups })).toEqual(['g59', 'g41', 'g3']);
  });

  it('move all rows of a task with 50 candidates', async () => {
    const users = Array.from({ length: 50 }, (_, at) => `u${at}`);
    const model = aModel(aTask('Review', '', `flowable:candidateUsers="${users.join(',')}"`));
    const api: TasksApi = await aTasksApi([model]);
    const id = await api.aTaskId();
    const rows = (part: string) =>
      api.world.items('TASKIDX#').filter(({ pk }) => String(pk).includes(part));

    expect((await api.act('claim', id, { sub: 'u7' })).status).toBe(200);
    expect([rows('#FREE').length, rows('#TAKEN').length, rows('#ASSIGNEE').length]).toEqual([
      ...[0, 100, 2],
    ]);
    await api.act('unclaim', id, { sub: 'u7' });
    expect([rows('#FREE').length, rows('#TAKEN').length, rows('#ASSIGNEE').length]).toEqual([
      ...[100, 0, 0],
    ]);
    expect((await api.act('complete', id, { sub: 'u8' })).status).toBe(200);
    expect(rows('#USER')).toEqual([]);
  });
});
