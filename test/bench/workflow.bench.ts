import type { Cost } from '../helpers/memory-dynamodb/meter.ts';
import { loadTasks } from '../helpers/workflow-costs/load-tasks.ts';
import {
  ann,
  aWorkflowCostWorld,
  GROUP,
  TASKS,
  type WorkflowCostWorld,
} from '../helpers/workflow-costs/world.ts';
import { type Busy, busiest } from '../helpers/workflow-costs/write-counter.ts';
import type { Benchmark, Figure } from './benchmark.ts';

/** Open tasks of the case in which one is claimed and completed. */
const OTHERS = [10, 1_000];
/** Open tasks of a group, and of how many one is free; `BENCH_TASKS=100,1000000` measures others. */
const SIZES = (process.env.BENCH_TASKS ?? '100,100000').split(',').map(Number);
const FREE = 4;
const CALLS = 10;

/** What a call costs, with the events that it sends. */
interface CallCost extends Cost {
  readonly sends: number;
}

/** What starts, claims, completions and lists of tasks cost on a table in memory that counts capacity. */
export default {
  name: 'Workflow',
  run: async (say) => [...(await commandFigures()), ...(await listFigures(say))],
} satisfies Benchmark;

async function commandFigures(): Promise<Figure[]> {
  const world = await aWorkflowCostWorld();
  // The first calls of an environment also read definitions and the epoch of the settings.
  await taskCosts(world, 0);
  const figures = costFigures('start', await costOf(world, () => world.start()));
  const floors = new Map<string, CallCost>();
  for (const others of OTHERS) {
    for (const [name, cost] of await taskCosts(world, others)) {
      const floor = floors.get(name);
      if (!floor) floors.set(name, cost);
      figures.push(...costFigures(`${name}, ${others} other tasks open`, cost, floor));
    }
  }
  return [...figures, ...(await busiestFigures(world))];
}

/** One task of a case with so many others is claimed and completed, and one that has a form for a record. */
async function taskCosts(world: WorkflowCostWorld, others: number): Promise<[string, CallCost][]> {
  const { taskId } = await world.start(others);
  const entityId = await world.aRecord();
  const withRecord = await world.start(others, { entityType: 'loan', entityId });
  await world.post(`${TASKS}/${withRecord.taskId}/claim`, {}, ann);
  const formData = { status: 'closed', amount: 7 };
  return [
    ['claim', await costOf(world, () => world.post(`${TASKS}/${taskId}/claim`, {}, ann))],
    ['complete', await costOf(world, () => complete(world, taskId))],
    [
      'complete with a form for its record',
      await costOf(world, () => complete(world, withRecord.taskId, { formData })),
    ],
  ];
}

const complete = (world: WorkflowCostWorld, taskId: string, body: object = {}) =>
  world.post(`${TASKS}/${taskId}/complete`, body, ann);

/** What calls on different cases of one tenant share: the partition and the item that they write most. */
async function busiestFigures(world: WorkflowCostWorld): Promise<Figure[]> {
  const ids: string[] = [];
  const each = async (name: string, call: (at: number) => Promise<unknown>): Promise<Figure[]> => {
    const { item, partition } = await busiest(world.context.db, async () => {
      for (let at = 0; at < CALLS; at += 1) await call(at);
    });
    const figure = (kind: string, busy: Busy): Figure => ({
      what: `${name}: writes to the busiest ${kind} (${busy.name})`,
      value: busy.writes / CALLS,
      unit: 'a call',
    });
    return [figure('partition', partition), figure('item', item)];
  };
  return [
    ...(await each('start', async () => ids.push((await world.start()).taskId))),
    ...(await each('claim', (at) => world.post(`${TASKS}/${ids[at]}/claim`, {}, ann))),
    ...(await each('complete', (at) => complete(world, ids[at] ?? ''))),
  ];
}

async function listFigures(say: (text: string) => void): Promise<Figure[]> {
  const figures: Figure[] = [];
  const floors = new Map<string, CallCost>();
  for (const size of SIZES) {
    const world = await aWorkflowCostWorld();
    await loadTasks(world, size, FREE);
    await world.get(TASKS);
    say(`${size} open tasks of ${GROUP}, one in ${FREE} free`);
    for (const { name, path } of LISTS) {
      const cost = await costOf(world, () => world.get(path));
      const floor = floors.get(name);
      if (!floor) floors.set(name, cost);
      figures.push(...costFigures(`${name}, ${size} open tasks`, cost, floor));
    }
    figures.push(...(await countFigures(world, size)));
  }
  return figures;
}

const LISTS = [
  { name: 'my tasks by creation', path: `${TASKS}?size=20` },
  { name: 'my tasks by due date', path: `${TASKS}?size=20&sort=dueDate` },
];

/** The count, which ends at a thousand. */
async function countFigures(world: WorkflowCostWorld, size: number): Promise<Figure[]> {
  let relation: unknown;
  let count = 0;
  const cost = await costOf(world, async () => {
    const { body } = await world.get(`${TASKS}/count`);
    relation = body.relation;
    count = Number(body.count);
  });
  const what = `count, ${size} open tasks`;
  return [
    { what: `${what} (${relation})`, value: count, unit: 'counted' },
    ...costFigures(what, cost),
  ];
}

async function costOf(
  { context }: WorkflowCostWorld,
  work: () => Promise<unknown>,
): Promise<CallCost> {
  const before = context.bus.requests.length;
  const cost = await context.db.meter.costOf(work);
  return { ...cost, sends: context.bus.requests.length - before };
}

/** @param floor the same call at the first size, which it is held against */
function costFigures(name: string, cost: CallCost, floor?: CallCost): Figure[] {
  const against = (value: (cost: CallCost) => number) => {
    const least = floor && value(floor);
    return least ? { floor: { what: 'at the first size', value: least }, goal: 1 } : {};
  };
  const requests = (given: CallCost) => given.requests.length;
  const units = (given: CallCost) => given.readUnits + given.writeUnits;
  const isRead = cost.writeUnits === 0;
  return [
    {
      what: `${name}: requests to the table`,
      value: requests(cost),
      unit: 'requests',
      ...against(requests),
    },
    ...(cost.sends > 0
      ? [{ what: `${name}: to the bus`, value: cost.sends, unit: 'requests' }]
      : []),
    {
      what: `${name}: read units`,
      value: cost.readUnits,
      unit: 'units',
      ...(isRead && against(units)),
    },
    ...(isRead ? [] : [{ what: `${name}: write units`, value: cost.writeUnits, unit: 'units' }]),
  ];
}
