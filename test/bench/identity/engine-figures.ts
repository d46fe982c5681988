import { spawnSync } from 'node:child_process';
import { projectRoot } from '../../../bin/dev/paths.ts';
import { type Figure, median } from '../benchmark.ts';
import { linksOf, pagesOf, planned, walk } from './reading.ts';

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 5;
const unit = 'ms of processor time';

/** Milliseconds of processor time. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The medians of rounds in which each work is done once, so that all have the same neighbours. */
function together<K extends string>(works: Readonly<Record<K, () => unknown>>): Record<K, number> {
  const names = Object.keys(works) as K[];
  const times = Array.from({ length: ROUNDS }, () => names.map((name) => cpuMs(works[name])));
  const medians = names.map((name, at) => [name, median(times.map((round) => round[at] ?? 0))]);
  return Object.fromEntries(medians);
}

function measured(count: number) {
  const pages = [...pagesOf(count)];
  const links = [...linksOf(pages, count)];
  return together({
    floor: () => walk(pages),
    unchanged: () => planned(pages, count, links),
    first: () => planned(pages, count, []),
  });
}

/** The heap of the function that runs sources, which has 512 MB. */
const HEAP = ['--max-semi-space-size=25', '--max-old-space-size=461'];

/** Megabytes of a process that compares so many users. */
function memoryOf(count: number): number {
  const script = ['test/bench/identity/memory.ts', String(count)];
  const args = [...process.execArgv, ...HEAP, ...script];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ cwd: projectRoot, encoding: 'utf8' },
  });
  const megabytes = Number(stdout);
  if (stdout === '' || Number.isNaN(megabytes)) throw new Error(stderr);
  return megabytes;
}

/** Checking, mapping and comparing the users of a source, against reading the same pages. */
export function engineFigures(say: (text: string) => void): readonly Figure[] {
  const figures: Figure[] = [];
  const perSecond = new Map<number, number>();
  for (const count of SIZES) {
    say(`${count} users`);
    const { floor: value, unchanged, first } = measured(count);
    const floor = { what: 'walk of the same pages', value };
    perSecond.set(count, (count / unchanged) * 1_000);
    figures.push(
      {
        ...{ what: `${count} users, nothing changed`, value: unchanged, unit, floor },
        ...(count === SIZES.at(-1) && { goal: 2.5 }),
      },
      { what: `${count} users, all new`, value: first, goal: 6, unit, floor },
    );
  }
  const [ten = 0, hundred = 0] = [10_000, 100_000].map((count) => perSecond.get(count));
  figures.push({
    ...{ what: 'users in a second of 100000, nothing changed', value: hundred, unit: 'users/s' },
    ...{ floor: { what: 'those of 10000', value: ten }, goal: 0.7, goalIs: 'at-least' },
  });
  say('memory');
  figures.push({
    ...{ what: 'memory of a process, 100000 users, nothing changed', unit: 'MB' },
    ...{ value: memoryOf(100_000), goal: 256 },
  });
  return figures;
}
