import CmmnModdle from 'cmmn-moddle';
import { compile } from '../../../functions/workflow/domain/cmmn/index.ts';
import { HOSTILE_MODELS } from '../../helpers/cmmn/hostile-models.ts';
import type { Figure } from '../benchmark.ts';
import { sentriesModel } from './sentries-model.ts';

const SIZE = 2_000;
const ROUNDS = 7;
/** Below this a time says nothing about growth. */
const FLOOR_MS = 10;

const moddle = new CmmnModdle();

/** Reads a model with the parser alone. */
const parse = (xml: string): Promise<void> =>
  new Promise((resolve, reject) => {
    moddle.fromXML(xml, 'cmmn:Definitions', {}, (error) => (error ? reject(error) : resolve()));
  });

/** CPU time, because others may work on the machine too; in milliseconds. */
async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

/** Shortest times of works that alternate: what is above them is garbage collection and others on the machine. */
async function shortest(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = -2; round < ROUNDS; round++) {
    for (const [index, work] of works.entries()) {
      const time = await cpuTime(work);
      if (round >= 0) times[index]?.push(time);
    }
  }
  return times.map((each) => Math.min(...each));
}

/** What compiling costs beyond parsing. */
export async function compareCompilation(): Promise<Figure> {
  const xml = sentriesModel(1_000);
  const [compiled = 0, parsed = 0] = await shortest([() => compile(xml), () => parse(xml)]);
  return {
    what: 'compiling 1000 plan items',
    value: compiled,
    unit: 'ms CPU',
    floor: { what: 'cmmn-moddle', value: parsed },
    goal: 2,
  };
}

/** How much longer the hostile models take when they are twice as large. */
export async function measureHostileModels(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, make] of Object.entries(HOSTILE_MODELS)) {
    const [small, large] = [make(SIZE), make(2 * SIZE)];
    const [once = 0, twice = 0] = await shortest([() => compile(small), () => compile(large)]);
    figures.push({
      what: `twice the size, ${name} (${twice.toFixed(1)} ms)`,
      value: twice / Math.max(once, FLOOR_MS),
      unit: 'x',
      goal: 2.3,
    });
  }
  return figures;
}
