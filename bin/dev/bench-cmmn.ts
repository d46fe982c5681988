/** `npm run bench:cmmn`: what the CMMN engine does in a second, against bpmn-engine in the same run. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { fanOut, loop, runProcess, sequence, timeFirstSignal } from './bench/bpmn-side.ts';
import { BenchCase, type BenchModel, type Keeping, loadModel } from './bench/cmmn-side.ts';
import { sentriesModel } from './bench/sentries-model.ts';
import { play } from './conformance/play.ts';
import { loadFolder } from './conformance/run-folder.ts';

const FOLDER = new URL('../../test/fixtures/cmmn/bench/', import.meta.url);
const BUDGET_MS = 1_500;
const GOALS: Readonly<Record<Keeping, number>> = { memory: 20, json: 10 };

const load = async (name: string): Promise<BenchModel> =>
  loadModel(await readFile(new URL(`${name}.cmmn`, FOLDER), 'utf8'));
const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
const round = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });

/** Repeats work within the budget. @returns units of work in a second */
async function rate(work: () => number | Promise<number>): Promise<number> {
  await work();
  let done = 0;
  const begin = performance.now();
  while (performance.now() - begin < BUDGET_MS) done += await work();
  return (done * 1000) / (performance.now() - begin);
}

/** Starts a case and completes its tasks. */
function runCase(model: BenchModel, keeping: Keeping, limit?: number): number {
  const bench = new BenchCase(model, keeping);
  bench.start();
  return bench.work(limit);
}

async function compareTasks(name: string, process: string, tasks: number): Promise<void> {
  const model = await load(name);
  const floor = await rate(() => runProcess(process, tasks));
  console.log(`${name}: bpmn-engine ${round(floor)} tasks/s`);
  for (const keeping of ['memory', 'json'] as const) {
    const reached = await rate(() => runCase(model, keeping, tasks));
    const ratio = reached / floor;
    const verdict = ratio >= GOALS[keeping] ? 'reached' : 'missed';
    console.log(
      `${name}: ${keeping} ${round(reached)} tasks/s, ${round(reached / tasks)} scenarios/s = ${round(ratio)}x (goal ${GOALS[keeping]}x ${verdict})`,
    );
  }
}

/** The one command that opens all tasks of the sentries model, in milliseconds. */
function timeFanOut(model: BenchModel): number {
  const bench = new BenchCase(model, 'memory');
  bench.start();
  const [first] = bench.openTasks();
  const begin = performance.now();
  if (first) bench.completeTask(first);
  return performance.now() - begin;
}

/** One completed task in a case where many are open, in milliseconds. */
function timeOneTask(model: BenchModel): number {
  const bench = new BenchCase(model, 'memory');
  bench.start();
  bench.work(1);
  const open = bench.openTasks();
  const begin = performance.now();
  for (const id of open.slice(0, 20)) bench.completeTask(id);
  return (performance.now() - begin) / 20;
}

const repeatMedian = (times: number, measure: () => number): number => {
  for (let warm = 0; warm < times; warm++) measure();
  return median(Array.from({ length: times }, measure));
};

async function compareFanOut(): Promise<void> {
  const model = await load('sentries');
  const process = fanOut(100);
  const floors: number[] = [];
  for (let time = 0; time < 10; time++) floors.push(await timeFirstSignal(process));
  const ours = repeatMedian(50, () => timeFanOut(model));
  const floor = median(floors);
  console.log(
    `sentries: opening 100 tasks ${round(ours)} ms, bpmn-engine ${round(floor)} ms = ${round(floor / ours)}x`,
  );
}

/** How the cost of a command grows with the length and the size of a case. */
async function measureGrowth(): Promise<void> {
  const model = await load('repeat');
  const ratios = Array.from({ length: 15 }, () => {
    const bench = new BenchCase(model, 'json');
    bench.start();
    bench.work(100);
    const times: number[] = [];
    for (let block = 0; block < 10; block++) {
      const begin = performance.now();
      bench.work(100);
      times.push(performance.now() - begin);
    }
    return (times.at(-1) ?? 0) / (times[0] ?? 1);
  });
  console.log(
    `growth: last 100 of 1000 completions / first 100 = ${round(median(ratios))}x (goal 1.2x)`,
  );
  const [small, large] = await Promise.all([100, 1000].map((n) => loadModel(sentriesModel(n))));
  if (!small || !large) return;
  const command =
    repeatMedian(30, () => timeOneTask(large)) / repeatMedian(30, () => timeOneTask(small));
  const opening =
    repeatMedian(15, () => timeFanOut(large)) / repeatMedian(15, () => timeFanOut(small));
  const run = repeatMedian(3, () => timeRun(large)) / repeatMedian(3, () => timeRun(small));
  console.log(`growth: 10x the plan items, one command: ${round(command)}x (goal 15x)`);
  console.log(
    `growth: 10x the plan items, the command that opens them: ${round(opening)}x (goal 15x)`,
  );
  console.log(`growth: 10x the plan items, the whole run: ${round(run)}x`);
}

function timeRun(model: BenchModel): number {
  const begin = performance.now();
  runCase(model, 'memory');
  return performance.now() - begin;
}

/** All generated scenarios, models compiled beforehand: what the checks cost is in it. */
async function measureScenarios(): Promise<void> {
  const begin = performance.now();
  const scenarios = await loadFolder(fileURLToPath(new URL('../generated/', FOLDER)));
  const compiled = performance.now();
  const failed = scenarios.filter(({ scenario, definitions }) => play(scenario, definitions));
  const seconds = (performance.now() - compiled) / 1000;
  const models = scenarios.reduce((sum, { definitions }) => sum + definitions.length, 0);
  console.log(
    `scenarios: ${round(scenarios.length / seconds)} scenarios/s, ${failed.length} failed; compiling ${round((compiled - begin) / models)} ms a model`,
  );
}

await measureScenarios();
await compareTasks('stages', sequence(20), 20);
await compareTasks('repeat', loop(), 200);
await compareTasks('minimal', sequence(1), 1);
await compareFanOut();
await measureGrowth();
