import { describe, expect, it } from 'vitest';
import { aCaseWorld, aUser, type CaseWorld } from '../../../helpers/cases/case-world.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';

const ann = aUser('ann');

/** A review by one of a group, then an approval by somebody who is named. */
const TWO_STEPS = aModel(`
${aTask('Review', '', 'flowable:candidateGroups="clerks,bosses"')}
${aTask('Approve', '<entryCriterion id="whenReviewed" sentryRef="reviewed"/>', 'flowable:assignee="bob"')}
${aSentry('reviewed', 'piReview')}`);

const start = async ({ starter }: CaseWorld, more: object = {}) =>
  (await starter.start({ workflowCode: 'theCase', ...more }, ann)).caseInstanceId;

/** Tasks as they are stored. */
const tasksOf = ({ db }: CaseWorld) => db.items().filter(({ type }) => type === 'task');

const taskNamed = (world: CaseWorld, name: string) => {
  const task = tasksOf(world).find((found) => found.name === name);
  if (!task) throw new Error(`no task ${name}`);
  return String(task.taskId);
};

const complete = (world: CaseWorld, caseInstanceId: string, planItemInstanceId: string) =>
  world.commands.give({
    caseInstanceId,
    principal: ann,
    command: () => ({ type: 'completeTask', planItemInstanceId }),
  });

const rowsOf = (world: CaseWorld) => world.items('TASKIDX#').map(({ pk }) => pk);

describe('a command', () => {
  it('stores the case, its task and the rows that list it in one transaction', async () => {
    const world = await aCaseWorld([TWO_STEPS]);

    const id = await start(world, { businessKey: 'B-1', entityType: 'loan', entityId: '7' });

    expect(world.db.meter.total().requests).toEqual([expect.stringMatching(/^TransactWriteItems/)]);
    expect(tasksOf(world)).toMatchObject([
      {
        name: 'Review',
        status: 'PENDING',
        caseInstanceId: id,
        familyId: id,
        candidateGroups: ['clerks', 'bosses'],
        businessKey: 'B-1',
        entityType: 'loan',
        version: 1,
      },
    ]);
    expect(rowsOf(world).sort()).toEqual([
      'TASKIDX##GROUP#bosses#FREE',
      'TASKIDX##GROUP#bosses#FREE#DUE',
      'TASKIDX##GROUP#clerks#FREE',
      'TASKIDX##GROUP#clerks#FREE#DUE',
      'TASKIDX##GROUPS',
      'TASKIDX##GROUPS',
    ]);
    expect(world.items(`CASE#${id} / LIVE#HEAD`)).toMatchObject([
      { gsi1pk: 'CASE##theCase#active', summary: { definitionVersion: 1, deploymentId: 'd0' } },
    ]);
    expect(
      world
        .items('CASEIDX#')
        .map(({ pk }) => pk)
        .sort(),
    ).toEqual(['CASEIDX##KEY#B-1', 'CASEIDX##STATE#active']);
  });

  it('ends a task with its rows, and opens the next', async () => {
    const world = await aCaseWorld([TWO_STEPS]);
    const id = await start(world);

    await complete(world, id, taskNamed(world, 'Review'));

    expect(tasksOf(world)).toMatchObject([
      { name: 'Review', status: 'COMPLETED', completedBy: 'ann', gsi1pk: 'TASK##ann#DONE' },
      { name: 'Approve', status: 'PENDING', assignee: 'bob' },
    ]);
    expect(rowsOf(world).filter((pk) => !String(pk).endsWith('GROUPS'))).toEqual([
      'TASKIDX##ASSIGNEE#bob',
      'TASKIDX##ASSIGNEE#bob#DUE',
    ]);
    expect(world.items(`CASE#${id} / PIX#`)).toMatchObject([
      { name: 'Review', definitionType: 'humanTask', state: 'completed' },
    ]);
  });

  it('moves the head of a case that ends to where ended cases are listed', async () => {
    const world = await aCaseWorld([TWO_STEPS]);
    const id = await start(world);
    await complete(world, id, taskNamed(world, 'Review'));

    await complete(world, id, taskNamed(world, 'Approve'));

    expect(world.items(`CASE#${id} / LIVE#HEAD`)).toMatchObject([
      { gsi1pk: 'CASE##theCase#completed', head: { state: 'completed' } },
    ]);
    expect(world.items('CASEIDX#').map(({ pk }) => pk)).toEqual(['CASEIDX##STATE#completed']);
    expect(rowsOf(world).filter((pk) => !String(pk).endsWith('GROUPS'))).toEqual([]);
  });

  it('keeps one entry of history: who, and old and new values', async () => {
    const world = await aCaseWorld([TWO_STEPS]);
    const id = await start(world, { variables: { amount: 1 } });

    await world.commands.give({
      caseInstanceId: id,
      principal: aUser('bea'),
      command: () => ({ type: 'setVariables', variables: { amount: 2 } }),
    });

    const [started, changed] = world.items(`CASE#${id} / HIST#`);
    expect(started).toMatchObject({ by: 'ann', command: { type: 'start' } });
    expect(changed).toMatchObject({ by: 'bea', command: { type: 'setVariables' } });
    expect(JSON.parse(String(changed?.json))).toMatchObject([
      { type: 'variableChanged', name: 'amount', value: 2, oldValue: 1 },
    ]);
  });

  it('that the engine refuses stores nothing', async () => {
    const world = await aCaseWorld([TWO_STEPS]);
    const id = await start(world);
    const before = world.db.items();

    const refused = complete(world, id, 'nobody');

    await expect(refused).rejects.toMatchObject({ code: 'PLAN_ITEM_NOT_FOUND', status: 404 });
    expect(world.db.items()).toEqual(before);
  });

  it('for a case of another tenant finds none', async () => {
    const world = await aCaseWorld([TWO_STEPS]);
    const id = await start(world);

    const refused = world.commands.give({
      caseInstanceId: id,
      principal: aUser('eve', { tenant: 'other' }),
      command: () => ({ type: 'terminate' }),
    });

    await expect(refused).rejects.toMatchObject({ code: 'CASE_NOT_FOUND', status: 404 });
  });

  it('takes a business key that is unique, until the case ends', async () => {
    const world = await aCaseWorld([TWO_STEPS], { deployment: { uniqueBusinessKey: true } });
    const id = await start(world, { businessKey: 'B-1' });

    const twice = start(world, { businessKey: 'B-1' });
    await expect(twice).rejects.toMatchObject({ code: 'CASE_EXISTS', status: 409 });
    await world.commands.give({
      caseInstanceId: id,
      principal: ann,
      command: () => ({ type: 'terminate' }),
    });

    await expect(start(world, { businessKey: 'B-1' })).resolves.not.toBe(id);
  });
});

describe('two commands for one family at once', () => {
  it('both happen, one after the other', async () => {
    const world = await aCaseWorld([aModel(aTask('One') + aTask('Two'))]);
    const id = await start(world);

    await Promise.all([
      complete(world, id, taskNamed(world, 'One')),
      complete(world, id, taskNamed(world, 'Two')),
    ]);

    expect(tasksOf(world).map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(world.items(`CASE#${id} / HIST#`)).toHaveLength(3);
  });

  it('that complete the same task: one does, the other is refused', async () => {
    const world = await aCaseWorld([aModel(aTask('One') + aTask('Two'))]);
    const id = await start(world);
    const task = taskNamed(world, 'One');

    const answers = await Promise.allSettled([
      complete(world, id, task),
      complete(world, id, task),
    ]);

    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(world.items(`CASE#${id} / HIST#`)).toHaveLength(2);
  });

  it('arrive all, however many there are', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `T${at}`);
    const world = await aCaseWorld([aModel(names.map((name) => aTask(name)).join(''))]);
    const id = await start(world);

    await Promise.all(names.map((name) => complete(world, id, taskNamed(world, name))));

    expect(tasksOf(world).every(({ status }) => status === 'COMPLETED')).toBe(true);
    expect(world.items(`CASE#${id} / HIST#`)).toHaveLength(21);
  });
});
