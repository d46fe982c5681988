import { describe, expect, it } from 'vitest';
import { readTasks } from '../../../../functions/workflow/store/tasks/task-items.ts';
import { aCaseWorld, aUser, type CaseWorld } from '../../../helpers/cases/case-world.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';

const ann = aUser('ann');
const ALL = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const END = '<exitCriterion id="leave" sentryRef="left"/>';
const LEFT = `<userEventListener id="Leave"/><planItem id="piLeave" definitionRef="Leave"/><sentry id="left"><planItemOnPart id="leftOn" sourceRef="piLeave"><standardEvent>occur</standardEvent></planItemOnPart></sentry>`;
/** A task for each element of a list, for two groups; an event ends them all. */
const MANY = aModel(
  aTask('Each', ALL + END, 'flowable:candidateGroups="a,b"') + aTask('Stay') + LEFT,
);

const many = (count: number) => Array.from({ length: count }, (_, at) => at);

async function aLargeCase(count: number) {
  const world = await aCaseWorld([MANY], {
    limits: { maxCollectionSize: 10_000 },
    told: { taskCreated: 'workflow.task.created' },
    svc: { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } },
  });
  const start = () =>
    world.starter.start({ workflowCode: 'theCase', variables: { all: many(count) } }, ann);
  return { world, start };
}

const leave = (world: CaseWorld, id: string) =>
  world.commands.give({
    caseInstanceId: id,
    principal: ann,
    command: ({ state }) => {
      const items = state.cases.flatMap(({ planItems }) => planItems);
      const listener = items.find(({ planItemId }) => planItemId === 'piLeave');
      return { type: 'trigger', planItemInstanceId: listener?.id ?? '' };
    },
  });

const tasksOf = ({ db }: CaseWorld, status?: string) =>
  db.items().filter((item) => item.type === 'task' && (!status || item.status === status));

const rowsOf = ({ items }: CaseWorld) =>
  items('TASKIDX#').filter(({ pk }) => !String(pk).endsWith('GROUPS'));

const restsOf = ({ db }: CaseWorld) =>
  db
    .items()
    .filter(
      ({ pk, sk }) => pk === 'CASEREST' || sk === 'LIVE#REST' || String(sk).startsWith('REST#'),
    );

/** Numbers of the events that were sent, in their order. */
const sequencesOf = ({ context }: CaseWorld) =>
  context.bus.events
    .map(({ envelope }) => (envelope.data as { sequence: number }).sequence)
    .sort((a, b) => a - b);

/** Ends the process at the n-th transaction from now on. */
function dieAt({ db }: CaseWorld, nth: number): () => void {
  let seen = 0;
  return db.before('TransactWriteItems', () => {
    seen += 1;
    if (seen >= nth) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  });
}

describe('a command with more rows than a transaction takes', () => {
  it('has written all of them when it answers, in two thousand plan items too', async () => {
    const model = aModel(aTask('Each', ALL + END) + aTask('Stay') + LEFT);
    const world = await aCaseWorld([model], { limits: { maxCollectionSize: 2_000 } });

    const { caseInstanceId } = await world.starter.start(
      { workflowCode: 'theCase', variables: { all: many(2_000) } },
      ann,
    );

    expect(tasksOf(world)).toHaveLength(2_001);
    expect(restsOf(world)).toEqual([]);
    const largest = world.db.meter.requests.filter(({ items }) => items > 100);
    expect(largest).toEqual([]);

    await leave(world, caseInstanceId);

    expect(tasksOf(world, 'CANCELLED')).toHaveLength(2_000);
    expect(world.items(`CASE#${caseInstanceId} / PIX#`).length).toBeGreaterThan(2_000);
    expect(restsOf(world)).toEqual([]);
  });

  it.each([2, 3, 4, 5, 6])(
    'and is killed before write %i: the sweep writes the rest, once',
    async (nth) => {
      const { world, start } = await aLargeCase(60);
      const revive = dieAt(world, nth);
      await start();
      revive();
      const left = restsOf(world);

      world.context.machineClock.advance(61_000);
      const swept = await world.rests.sweep();

      expect(left).not.toEqual([]);
      expect(swept).toBe(1);
      expect(restsOf(world)).toEqual([]);
      expect(tasksOf(world)).toHaveLength(61);
      expect(rowsOf(world)).toHaveLength(240);
      expect(sequencesOf(world)).toEqual(many(61).map((at) => at + 1));
    },
  );

  it('and is killed: the next command writes the rest first', async () => {
    const { world, start } = await aLargeCase(60);
    const revive = dieAt(world, 3);
    const { caseInstanceId } = await start();
    revive();

    await leave(world, caseInstanceId);

    expect(tasksOf(world, 'CANCELLED')).toHaveLength(60);
    expect(tasksOf(world, 'PENDING')).toHaveLength(1);
    expect(rowsOf(world)).toEqual([]);
  });

  it('and whose first write fails has done nothing', async () => {
    const { world, start } = await aLargeCase(60);
    const revive = dieAt(world, 1);

    await expect(start()).rejects.toThrow();
    revive();

    expect(world.db.items()).toEqual([]);
    expect([...world.storage.files.keys()]).toEqual([]);
  });

  it('is written once by two runs at the same time', async () => {
    const { world, start } = await aLargeCase(60);
    const revive = dieAt(world, 2);
    const { caseInstanceId } = await start();
    revive();

    await Promise.all([
      world.rests.finish(caseInstanceId),
      world.rests.finish(caseInstanceId),
      world.rests.finish(caseInstanceId),
    ]);

    expect(restsOf(world)).toEqual([]);
    expect(tasksOf(world)).toHaveLength(61);
    expect(sequencesOf(world)).toEqual(many(61).map((at) => at + 1));
  });

  it('ends a task that somebody takes meanwhile, with the rows that it has then', async () => {
    const { world, start } = await aLargeCase(60);
    const { caseInstanceId } = await start();
    const [{ taskId }] = tasksOf(world) as [{ taskId: string }];
    const revive = dieAt(world, 2);
    await leave(world, caseInstanceId);
    revive();
    await world.context.unitOfWork(async (unit) => {
      unit.update(
        { pk: `TASK#${taskId}`, sk: 'TASK' },
        {
          expression: 'SET assignee = :ann, #version = :two',
          names: { '#version': 'version' },
          values: { ':ann': 'ann', ':two': 2 },
        },
      );
      unit.put({ pk: 'TASKIDX##ASSIGNEE#ann', sk: `2026-03-01T09:30:00.000Z#${taskId}` });
    });

    await world.rests.finish(caseInstanceId);

    expect(await readTasks(world.context.table, [taskId])).toMatchObject([
      { status: 'CANCELLED', assignee: 'ann', version: 3 },
    ]);
    expect(world.items('TASKIDX##ASSIGNEE#ann')).toEqual([]);
  });
});

describe('a task with fifty candidates', () => {
  it('is opened and ended with all its rows', async () => {
    const groups = many(50).map((at) => `group${at}`);
    const model = aModel(aTask('Wide', '', `flowable:candidateGroups="${groups.join(',')}"`));
    const world = await aCaseWorld([model]);

    const { caseInstanceId } = await world.starter.start({ workflowCode: 'theCase' }, ann);
    const opened = rowsOf(world).length;
    await world.commands.give({
      caseInstanceId,
      principal: ann,
      command: () => ({ type: 'terminate' }),
    });

    expect(opened).toBe(100);
    expect(rowsOf(world)).toEqual([]);
    expect(tasksOf(world)).toMatchObject([{ status: 'CANCELLED', cancelReason: 'terminate' }]);
  });
});

describe('a state that does not fit an item', () => {
  const noise = (seed: number) =>
    Array.from(
      { length: 20_000 },
      (_, at) => ((at + 1) * (seed + 7) * 2_654_435_761) % 4_294_967_296,
    );

  it('lies in the bucket, and the one before goes', async () => {
    const world = await aCaseWorld([aModel(aTask('One'))]);
    const states = () => [...world.storage.files.keys()].filter((path) => path.includes('/state/'));
    const { caseInstanceId } = await world.starter.start({ workflowCode: 'theCase' }, ann);
    const grow = async (seed: number) => {
      for (const part of many(4)) {
        await world.commands.give({
          caseInstanceId,
          principal: ann,
          command: () => ({
            type: 'setVariables',
            variables: { [`v${part}`]: noise(seed + part) },
          }),
        });
      }
    };

    await grow(1);
    const [first] = states();
    await grow(50);
    const family = await world.families.load(caseInstanceId);

    expect(first).toMatch(new RegExp(`^workflow/cases/${caseInstanceId}/state/`));
    expect(states()).toHaveLength(1);
    expect(states()).not.toContain(first);
    expect(family?.state.cases[0]?.variables.v3).toEqual(noise(53));
  });

  it('that another command replaces while it is read is read again', async () => {
    const world = await aCaseWorld([aModel(aTask('One'))]);
    const { caseInstanceId } = await world.starter.start({ workflowCode: 'theCase' }, ann);
    const set = (seed: number) =>
      world.commands.give({
        caseInstanceId,
        principal: ann,
        command: () => ({
          type: 'setVariables',
          variables: { a: noise(seed).slice(0, 15_000), b: noise(seed + 9).slice(0, 5_000) },
        }),
      });
    for (const seed of [1, 2, 3]) await set(seed);

    await Promise.all([set(4), set(5), set(6), set(7)]);

    expect(world.items(`CASE#${caseInstanceId} / HIST#`)).toHaveLength(8);
    expect((await world.families.load(caseInstanceId))?.version).toBe(8);
  });
});
