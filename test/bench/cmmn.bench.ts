import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { play } from '../tools/conformance/play.ts';
import { loadFolder } from '../tools/conformance/run-folder.ts';
import { type Benchmark, type Figure, median } from './benchmark.ts';
import { fanOut, loop, runProcess, sequence, timeFirstSignal } from './cmmn/bpmn-side.ts';
import { BenchCase, type BenchModel, type Keeping, loadModel } from './cmmn/cmmn-side.ts';
import { compareCompilation, measureHostileModels } from './cmmn/hostile-side.ts';
import { realisticModel } from './cmmn/realistic-model.ts';
import { sentriesModel } from './cmmn/sentries-model.ts';

const FOLDER = new URL('../fixtures/cmmn/bench/', import.meta.url);
const BUDGET_MS = 1_500;
const GOALS: Readonly<Record<Keeping, number>> = { memory: 20, json: 10 };

/** What the CMMN engine does in a second, against bpmn-engine running the nearest BPMN process in the same run. */
export default {
  name: 'CMMN engine',
  async run(say) {
    say('playing the generated scenarios');
    const scenarios = await measureScenarios();
    say('completing tasks of stages, repeat and minimal');
    const tasks = [
      ...(await compareTasks('stages', sequence(20), 20)),
      ...(await compareTasks('repeat', loop(), 200)),
      ...(await compareTasks('minimal', sequence(1), 1)),
    ];
    say('opening tasks, and growing');
    const growth = [await compareFanOut(), ...(await measureGrowth()), await measureState()];
    say('compiling large and hostile models');
    const compiling = [await compareCompilation(), ...(await measureHostileModels())];
    return [...scenarios, ...tasks, ...growth, ...compiling];
  },
} satisfies Benchmark;

/** All generated scenarios, models compiled beforehand: what the checks cost is in it. */
async function measureScenarios(): Promise<Figure[]> {
  const begin = performance.now();
  const scenarios = await loadFolder(fileURLToPath(new URL('../generated/', FOLDER)));
  const compiled = performance.now();
  const failed = scenarios.filter(({ scenario, definitions }) => play(scenario, definitions));
  if (failed.length > 0) throw new Error(`${failed.length} scenarios failed`);
  const seconds = (performance.now() - compiled) / 1_000;
  const models = scenarios.reduce((sum, { definitions }) => sum + definitions.length, 0);
  return [
    { what: 'generated scenarios', value: scenarios.length / seconds, unit: 'scenarios/s' },
    { what: 'compiling a model', value: (compiled - begin) / models, unit: 'ms' },
  ];
}

async function compareTasks(name: string, process: string, tasks: number): Promise<Figure[]> {
  const model = await load(name);
  const floor = { what: 'bpmn-engine', value: await rate(() => runProcess(process, tasks)) };
  const figures: Figure[] = [];
  for (const keeping of ['memory', 'json'] as const) {
    figures.push({
      what: `${name}: completed tasks, state ${keeping === 'memory' ? 'in memory' : 'through JSON'}`,
      value: await rate(() => runCase(model, keeping, tasks)),
      unit: 'tasks/s',
      floor,
      goal: GOALS[keeping],
      goalIs: 'at-least',
    });
  }
  return figures;
}

async function compareFanOut(): Promise<Figure> {
  const model = await load('sentries');
  const process = fanOut(100);
  const floors: number[] = [];
  for (let time = 0; time < 10; time += 1) floors.push(await timeFirstSignal(process));
  return {
    what: 'sentries: the command that opens 100 tasks',
    value: repeatMedian(50, () => timeFanOut(model)),
    unit: 'ms',
    floor: { what: 'bpmn-engine', value: median(floors) },
  };
}

/** What is stored of a case with 1000 open tasks that are made as people make them. */
async function measureState(): Promise<Figure> {
  const bench = new BenchCase(await loadModel(realisticModel(1_000)), 'json');
  bench.start({ clerk: 'anna.lindqvist' });
  bench.work(1);
  return {
    what: 'stored state of 1000 realistic tasks',
    value: bench.size / 1_024,
    unit: 'KB',
    goal: 250,
  };
}

/** How the cost of a command grows with the length and the size of a case. */
async function measureGrowth(): Promise<Figure[]> {
  const repeat = await load('repeat');
  const ratios = Array.from({ length: 15 }, () => lastAgainstFirst(repeat));
  const small = await loadModel(sentriesModel(100));
  const large = await loadModel(sentriesModel(1_000));
  const growth = (times: number, measure: (model: BenchModel) => number): number =>
    repeatMedian(times, () => measure(large)) / repeatMedian(times, () => measure(small));
  return [
    {
      what: 'last 100 of 1000 completions against the first 100',
      value: median(ratios),
      unit: 'x',
      goal: 1.2,
    },
    {
      what: '10x the plan items: one command',
      value: growth(30, timeOneTask),
      unit: 'x',
      goal: 15,
    },
    {
      what: '10x the plan items: the command that opens them',
      value: growth(15, timeFanOut),
      unit: 'x',
      goal: 15,
    },
    { what: '10x the plan items: the whole run', value: growth(3, timeRun), unit: 'x' },
  ];
}

function lastAgainstFirst(model: BenchModel): number {
  const bench = new BenchCase(model, 'json');
  bench.start();
  bench.work(100);
  const times = Array.from({ length: 10 }, () => elapsed(() => bench.work(100)));
  return (times.at(-1) ?? 0) / (times[0] ?? 1);
}

/** The one command that opens all tasks of the sentries model, in milliseconds. */
function timeFanOut(model: BenchModel): number {
  const bench = new BenchCase(model, 'memory');
  bench.start();
  const [first] = bench.openTasks();
  return elapsed(() => first && bench.completeTask(first));
}

/** One completed task in a case where many are open, in milliseconds. */
function timeOneTask(model: BenchModel): number {
  const bench = new BenchCase(model, 'memory');
  bench.start();
  bench.work(1);
  const open = bench.openTasks().slice(0, 20);
  return (
    elapsed(() =>
      open.forEach((id) => {
        bench.completeTask(id);
      }),
    ) / open.length
  );
}

const timeRun = (model: BenchModel): number => elapsed(() => runCase(model, 'memory'));

/** Starts a case and completes its tasks. */
function runCase(model: BenchModel, keeping: Keeping, limit?: number): number {
  const bench = new BenchCase(model, keeping);
  bench.start();
  return bench.work(limit);
}

const load = async (name: string): Promise<BenchModel> =>
  loadModel(await readFile(new URL(`${name}.cmmn`, FOLDER), 'utf8'));

/** Repeats work within the budget. @returns units of work in a second */
async function rate(work: () => number | Promise<number>): Promise<number> {
  await work();
  let done = 0;
  const begin = performance.now();
  while (performance.now() - begin < BUDGET_MS) done += await work();
  return (done * 1_000) / (performance.now() - begin);
}

function elapsed(work: () => unknown): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

function repeatMedian(times: number, measure: () => number): number {
  for (let warm = 0; warm < times; warm += 1) measure();
  return median(Array.from({ length: times }, measure));
}
