import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { localFolder } from '../../bin/dev/paths.ts';

/** One figure of a benchmark: what was measured, against what, and what it should be. */
export interface Figure {
  readonly what: string;
  /** The measured value, with `unit`. */
  readonly value: number;
  readonly unit: string;
  /** What else is to be known of it. */
  readonly note?: string;
  /** What the value is compared with: measured in the same run. */
  readonly floor?: { readonly what: string; readonly value: number };
  /** Most the value, or its ratio to the floor when there is one, should be. */
  readonly goal?: number;
  /** `at-least`: the goal is a lower bound. */
  readonly goalIs?: 'at-most' | 'at-least';
}

/** A benchmark: the default export of a `*.bench.ts` file. `npm run bench` runs them one after the other. */
export interface Benchmark {
  readonly name: string;
  run(say: (text: string) => void): Promise<readonly Figure[]>;
}

/** The ratio of a figure to its floor; `undefined` without one. */
export const ratioOf = ({ value, floor }: Figure): number | undefined =>
  floor && value / floor.value;

/** The middle of some values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A folder of its own inside the project, so that what lies in it finds the installed packages. */
export function benchFolder(): string {
  mkdirSync(localFolder, { recursive: true });
  return mkdtempSync(join(localFolder, 'bench-'));
}
