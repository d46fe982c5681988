import { expect, it } from 'vitest';
import { aRandomGraph, changeRandomly, randomChange } from './random-graph.ts';

/** Changes are `SEEDS` in number (12), from `FROM` (1) on; the last one is of several steps. */
const [first, count] = [Number(process.env.FROM ?? 1), Number(process.env.SEEDS ?? 12)];
const seeds = Array.from({ length: count }, (_each, at) => first + at);

it.each(seeds)(
  'a dry run of change %i by filter says what the change does',
  async (seed) => {
    const records = seed % 12 === 0 ? 1_100 : 40;
    const api = await aRandomGraph(seed, records);
    const change = randomChange(seed, records);

    const foretold = await changeRandomly(api, change, true);
    const left = [...api.storage.files];
    const done = await changeRandomly(api, change, false);

    expect(foretold, JSON.stringify(change)).toEqual(done);
    expect(left).toEqual([]);
  },
  60_000,
);
