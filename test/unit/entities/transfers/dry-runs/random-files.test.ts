import { expect, it } from 'vitest';
import { aRandomStock, importRandomly, randomRows, WAYS } from './random-rows.ts';

/** Files are `SEEDS` in number (12), from `FROM` (1) on, each imported in three ways. */
const [first, count] = [Number(process.env.FROM ?? 1), Number(process.env.SEEDS ?? 12)];
const seeds = Array.from({ length: count }, (_each, at) => first + at);

it.each(seeds)(
  'a dry run says of the rows of file %i what the import does',
  async (seed) => {
    for (const way of WAYS) {
      const api = await aRandomStock(seed);
      const rows = randomRows(seed, seed % 5 === 0 ? 120 : 14, api.files);

      const foretold = await importRandomly(api, rows, `${way}&dryRun=true`);
      const done = await importRandomly(api, rows, way);

      expect(foretold, way).toEqual(done);
    }
  },
  60_000,
);
