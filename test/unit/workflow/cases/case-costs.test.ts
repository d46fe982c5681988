import { describe, expect, it } from 'vitest';
import { aCaseWorld, aUser } from '../../../helpers/cases/case-world.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';

const ann = aUser('ann');
const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MODEL = aModel(aTask('One', '', 'flowable:candidateGroups="clerks"') + aTask('Each', EACH));

/** A case with so many open tasks, and the requests of a start and of the completion of one task. */
async function costsAt(openTasks: number) {
  const world = await aCaseWorld([MODEL], { limits: { maxCollectionSize: 2_000 } });
  const start = (all: number) =>
    world.starter.start(
      { workflowCode: 'theCase', variables: { all: Array.from({ length: all }, () => 1) } },
      ann,
    );
  const { caseInstanceId } = await start(openTasks);
  world.db.meter.reset();
  await start(1);
  const started = world.db.meter.total();
  const task = world.db
    .items()
    .find((item) => item.name === 'One' && item.caseInstanceId === caseInstanceId);
  world.db.meter.reset();
  await world.commands.give({
    caseInstanceId,
    principal: ann,
    command: () => ({ type: 'completeTask', planItemInstanceId: String(task?.taskId) }),
  });
  const completed = world.db.meter.total();
  return { started, completed };
}

describe('the cost of a command', () => {
  it('is one transaction for a start, and three requests for the completion of a task', async () => {
    const { started, completed } = await costsAt(2);

    expect(started.requests).toEqual([expect.stringMatching(/^TransactWriteItems/)]);
    expect(completed.requests.map((request) => request.split(' ')[0])).toEqual([
      'Query',
      'BatchGetItem',
      'TransactWriteItems',
    ]);
  });

  it('does not grow with the open tasks of the case, but for the size of its state', async () => {
    const few = await costsAt(10);
    const many = await costsAt(1_000);

    expect(many.started).toEqual(few.started);
    expect(many.completed.requests).toEqual(few.completed.requests);
    expect(many.completed.writeUnits - few.completed.writeUnits).toBeLessThan(50);
  });

  it('writes nothing that all cases with tasks for a group share, but once', async () => {
    const world = await aCaseWorld([MODEL]);
    const written: string[][] = [];
    world.db.before('TransactWriteItems', ({ input }) => {
      written.push(keysIn(input.TransactItems));
    });
    const start = () =>
      world.starter.start({ workflowCode: 'theCase', variables: { all: [] } }, ann);
    await start();
    await start();
    await start();

    const [first = [], second = [], third = []] = written;
    expect(first).toContain('TASKIDX##GROUPS clerks');
    expect(second.filter((key) => [...first, ...third].includes(key))).toEqual([]);
    expect(world.items('TASKIDX##GROUPS')).toHaveLength(1);
  });

  it('writes the row of a group again when its transaction has failed', async () => {
    const world = await aCaseWorld([MODEL]);
    const start = () =>
      world.starter.start({ workflowCode: 'theCase', variables: { all: [] } }, ann);
    world.db.failNext('conflict', { operation: 'TransactWriteItems', times: 2 });
    await start();

    expect(world.items('TASKIDX##GROUPS')).toHaveLength(1);
  });
});

type Named = { readonly pk?: { readonly S?: string }; readonly sk?: { readonly S?: string } };
type Action = Readonly<
  Partial<Record<'Put' | 'Update' | 'Delete', { readonly Item?: Named; readonly Key?: Named }>>
>;

/** Keys that a transaction writes. */
const keysIn = (actions: unknown): string[] =>
  (actions as readonly Action[]).map(({ Put, Update, Delete }) => {
    const { pk, sk } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? {};
    return `${pk?.S} ${sk?.S}`;
  });
