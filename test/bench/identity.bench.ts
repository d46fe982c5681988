import type { Benchmark } from './benchmark.ts';
import { engineFigures } from './identity/engine-figures.ts';
import { runFigures } from './identity/run-figures.ts';

/** Reading and comparing the users of a source, and whole runs. */
export default {
  name: 'Synchronisation of an identity source',
  run: async (say) => [...engineFigures(say), ...(await runFigures(say))],
} satisfies Benchmark;
