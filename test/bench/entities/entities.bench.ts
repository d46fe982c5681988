import { type MeanCost, meanCostOf } from '../../helpers/entity-costs/mean-cost.ts';
import { MeasuredValues } from '../../helpers/entity-costs/measured-entity.ts';
import {
  FLAT_CALLS,
  meanCost,
  operations,
  UNCOUNTED,
} from '../../helpers/entity-costs/operations.ts';
import { aShop } from '../../helpers/entity-costs/shop.ts';
import { shopOperations } from '../../helpers/entity-costs/shop-operations.ts';
import { aWorld, type World } from '../../helpers/entity-costs/world.ts';
import { type Benchmark, type Figure, median } from '../benchmark.ts';
import { followedFigures } from './followed.ts';

/** Sizes of the entity; `BENCH_RECORDS=1000,1000000` measures others. The first one is what the others are held against. */
const SIZES = (process.env.BENCH_RECORDS ?? '1000,10000,100000').split(',').map(Number);
/** The parts that are measured; `BENCH_PARTS=shop` measures only calls about records that refer to others. */
const PARTS = (process.env.BENCH_PARTS ?? 'customers,shop').split(',');
const ROUNDS = 10;
const CPU_CALLS = 200;
/** Calls whose cost does not grow: the most that it may grow with any number of records. */
const GROWTH: Readonly<Record<string, number>> = {
  ...Object.fromEntries(FLAT_CALLS.map((name) => [name, 1.05])),
  [`two filters (1 in 15)${UNCOUNTED}`]: 2.5,
};

/** What the records of an entity cost as requests and capacity units, and how that grows with their number. */
export default {
  name: 'Entities',
  async run(say) {
    const figures: Figure[] = [];
    for (const part of PARTS) figures.push(...((await MEASURES[part]?.(say)) ?? []));
    return figures;
  },
} satisfies Benchmark;

type Say = (line: string) => void;

const MEASURES: Readonly<Record<string, (say: Say) => Promise<Figure[]>>> = {
  /** Calls of an entity by itself. */
  async customers(say) {
    const figures: Figure[] = [];
    const floors = new Map<string, MeanCost>();
    for (const size of SIZES) {
      const world = await timed(say, size, () => aWorld(size));
      figures.push(...(await followedFigures(world)));
      for (const operation of operations(world)) {
        const cost = await meanCost(world, operation, { rounds: ROUNDS });
        const floor = floors.get(operation.name);
        if (!floor) floors.set(operation.name, cost);
        figures.push(...toFigures(operation.name, size, cost, floor));
      }
      if (size === SIZES[0]) figures.push(...(await cpuFigures(world)));
    }
    return figures;
  },
  /** Calls about records that refer to others, and about many records at once. */
  async shop(say) {
    const figures: Figure[] = [];
    for (const size of SIZES) {
      const shop = await timed(say, size, () => aShop(size));
      for (const { name, records = 1, rounds = ROUNDS, run } of shopOperations(shop)) {
        const { busiest, ...cost } = await meanCostOf(shop.context.db, rounds, run);
        const each = {
          requests: cost.requests / records,
          readUnits: cost.readUnits / records,
          writeUnits: cost.writeUnits / records,
          busiest: { ...busiest, units: busiest.units / records },
        };
        figures.push(...toFigures(name, size, each, undefined));
      }
    }
    return figures;
  },
};

/** Makes what is measured, and says how long that took. */
async function timed<T>(say: Say, size: number, make: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const made = await make();
  say(`${size} records stored in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  return made;
}

const unitsOf = ({ readUnits, writeUnits }: MeanCost): number => readUnits + writeUnits;

function toFigures(
  name: string,
  size: number,
  cost: MeanCost,
  floor: MeanCost | undefined,
): Figure[] {
  const what = `${name}, ${size} records`;
  const grown = floor && { what: `at ${SIZES[0]}`, value: unitsOf(floor) };
  const goal = GROWTH[name];
  return [
    { what: `${what}: requests`, value: cost.requests, unit: 'requests' },
    {
      what: `${what}: capacity units`,
      value: unitsOf(cost),
      unit: 'units',
      note: busiestOf(cost),
      ...(grown && { floor: grown, ...(goal && { goal }) }),
    },
  ];
}

/** The busiest partition key, without what is the same in each key of an entity. */
function busiestOf({ readUnits, writeUnits, busiest: { partition, units } }: MeanCost): string {
  const kinds = `${show(readUnits)} read, ${show(writeUnits)} written`;
  return `${kinds}, ${show(units)} of them of ${partition.replace(/^DYN_/, '')}`;
}

const show = (value: number): string => String(Number(value.toPrecision(3)));

/** Time of this process for one call, the AWS client and the table in memory included. */
async function cpuFigures(world: World): Promise<Figure[]> {
  const values = new MeasuredValues(3);
  const wanted = operations(world).filter(({ name }) => name === 'eq' || name === 'create');
  const figures: Figure[] = [];
  for (const { name, run } of wanted) {
    const times: number[] = [];
    for (let at = 0; at < CPU_CALLS; at += 1) {
      const before = process.cpuUsage();
      await run(values);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1_000);
    }
    figures.push({
      what: `${name === 'eq' ? 'list of 20' : name}, CPU with client and table in memory`,
      value: median(times),
      unit: 'ms',
      goal: name === 'eq' ? 3 : 1,
    });
  }
  return figures;
}
