import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../bin/dev/paths.ts';
import { CommandError } from '../../bin/dev/terminal/command-error.ts';
import { paint, runCommand, say } from '../../bin/dev/terminal/output.ts';
import { type Benchmark, type Figure, ratioOf } from '../bench/benchmark.ts';

/** Runs the benchmarks whose file names are given, or all, and prints their figures. */
await runCommand(async () => {
  const wanted = process.argv.slice(2);
  const files = globSync('test/bench/**/*.bench.ts', { cwd: projectRoot }).sort();
  const chosen = files.filter((file) => isWanted(file, wanted, files.map(benchName)));
  if (chosen.length === 0) {
    throw new CommandError(
      `No benchmark is named ${wanted.join(', ')}.`,
      `Name one of: ${files.map(benchName).join(', ')}`,
    );
  }
  for (const file of chosen) {
    const url = pathToFileURL(join(projectRoot, file)).href;
    const { default: benchmark } = (await import(url)) as { default: Benchmark };
    say(`\n${paint('bold', benchmark.name)}`);
    const figures = await benchmark.run((text) => say(paint('dim', `  ${text}`)));
    for (const figure of figures) say(`  ${describe(figure)}`);
  }
});

function describe(figure: Figure): string {
  const { what, value, unit, floor, note } = figure;
  const ratio = ratioOf(figure);
  const comparison =
    floor && ratio ? ` = ${ratio.toFixed(2)}x ${floor.what} (${show(floor.value)} ${unit})` : '';
  const more = note ? `, ${note}` : '';
  return `${what}: ${show(value)} ${unit}${more}${comparison}${verdict(figure, ratio ?? value)}`;
}

function verdict({ goal, goalIs = 'at-most' }: Figure, reached: number): string {
  if (goal === undefined) return '';
  const isMet = goalIs === 'at-most' ? reached <= goal : reached >= goal;
  const sign = goalIs === 'at-most' ? '<=' : '>=';
  return `  ${paint(isMet ? 'green' : 'red', `goal ${sign} ${goal}: ${isMet ? 'met' : 'missed'}`)}`;
}

function show(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** @param names of all benchmarks: one that is named in full is meant alone */
function isWanted(file: string, wanted: readonly string[], names: readonly string[]): boolean {
  const own = benchName(file);
  return (
    wanted.length === 0 ||
    wanted.some((name) => (names.includes(name) ? own === name : own.includes(name)))
  );
}

function benchName(file: string): string {
  return file.replace(/^.*[\\/]/, '').replace(/\.bench\.ts$/, '');
}

// A benchmark may leave a socket open.
process.exit();
