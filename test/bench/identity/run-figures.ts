import { type Figure, median } from '../benchmark.ts';
import { changeTimes, peerTimes } from './peer.ts';
import { pagesOf, walk } from './reading.ts';
import { aWorldOf, costOf } from './runs.ts';
import { unitsOfNewUser } from './writes.ts';

const ROUNDS = 5;
const SIZES = [2_000, 20_000, 100_000];
const PEOPLE = 1_000;
const MANY_PEOPLE = 10_000;

function walkMs(count: number): number {
  const pages = [...pagesOf(count)];
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    walk(pages);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return median(times);
}

type RunCost = Awaited<ReturnType<typeof costOf>>;
type Mode = Parameters<typeof costOf>[1];

interface Runs {
  readonly full: RunCost[];
  readonly compared: RunCost[];
  readonly changed: RunCost[];
  /** Of everybody, where as many have changed. */
  readonly changedFull: RunCost[];
}

/** Runs of so many users that find nothing to do, and such that find that every hundredth has changed. */
async function runsOf(count: number) {
  const world = await aWorldOf(count);
  const some = count / 100;
  const runs = { full: [], compared: [], changed: [], changedFull: [] } as Runs;
  const expectUpdated = async (mode: Mode, updated: number): Promise<RunCost> => {
    const cost = await costOf(world, mode);
    if (cost.counts.updated === updated) return cost;
    throw new Error(`The run has changed ${cost.counts.updated} users`);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    runs.full.push(await expectUpdated('FULL', 0));
    world.directory.change(some, `Once ${round}`);
    runs.changed.push(await expectUpdated('INCREMENTAL', some));
    // The source lists them again, and they are as they were applied.
    runs.compared.push(await expectUpdated('INCREMENTAL', 0));
    world.directory.change(some, `Again ${round}`);
    runs.changedFull.push(await expectUpdated('FULL', some));
  }
  return runs;
}

const cpuOf = (runs: readonly RunCost[]): number => median(runs.map(({ cpuMs }) => cpuMs));

async function figuresOf(count: number, writesBefore: number | undefined): Promise<Figure[]> {
  const runs = await runsOf(count);
  const cpuMs = cpuOf(runs.full);
  const [[first], [changed]] = [runs.full, runs.changed];
  if (!(first && changed)) throw new Error('There was no run');
  const ms = 'ms of processor time';
  const writes = first.writeUnits + first.accountWrites;
  const atLarge = count === SIZES.at(-1);
  return [
    {
      ...{ what: `${count} users, nothing changed, with files and histories`, value: cpuMs },
      ...{ unit: ms, floor: { what: 'walk of the same pages', value: walkMs(count) } },
    },
    {
      ...{ what: `${count} users, nothing changed: written`, value: writes, unit: 'write units' },
      ...(writesBefore !== undefined && {
        floor: { what: 'those of fewer users', value: writesBefore },
        goal: 1,
      }),
    },
    {
      ...{ what: `${count} users, one of a hundred changed: requests`, value: changed.requests },
      ...{ unit: 'requests', floor: { what: 'those of a full run', value: first.requests } },
      ...(atLarge && { goal: 0.05 }),
    },
    {
      ...{
        what: `${count} users, one of a hundred read and compared`,
        value: cpuOf(runs.compared),
        unit: ms,
      },
      floor: { what: 'a full run', value: cpuMs },
      ...(atLarge && { goal: 0.05 }),
    },
    {
      ...{ what: `${count} users, one of a hundred changed and applied`, unit: ms },
      value: cpuOf(runs.changed),
      // What is applied is the same for both.
      floor: { what: 'a full run that finds the same', value: cpuOf(runs.changedFull) },
    },
  ];
}

/** Whole runs of identity sources over tables and files in memory. */
export async function runFigures(say: (text: string) => void): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const count of SIZES) {
    say(`runs of ${count} users`);
    figures.push(...(await figuresOf(count, figures[1]?.value)));
  }
  figures.push({
    ...{ what: 'a user who is made, with the record', value: await unitsOfNewUser() },
    ...{ unit: 'write units', goal: 16 },
  });
  say(`${PEOPLE} users of a real service provider`);
  const { walks, runs } = await peerTimes(PEOPLE, ROUNDS);
  figures.push({
    ...{ what: `${PEOPLE} users of scimmy, nothing changed`, value: median(runs), unit: 'ms' },
    ...{ floor: { what: 'walk of its pages', value: median(walks) }, goal: 1.15 },
  });
  say(`${MANY_PEOPLE} users of a real service provider, one of a hundred changed`);
  const { full, changed } = await changeTimes(MANY_PEOPLE, 3);
  const of = (runs: typeof full, name: 'ms' | 'requests') => median(runs.map((run) => run[name]));
  for (const unit of ['ms', 'requests'] as const) {
    figures.push({
      ...{ what: `${MANY_PEOPLE} users of scimmy, one of a hundred changed and applied`, unit },
      ...{ value: of(changed, unit), floor: { what: 'a full run', value: of(full, unit) } },
    });
  }
  return figures;
}
