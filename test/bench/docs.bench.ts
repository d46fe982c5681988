import type { Benchmark } from './benchmark.ts';
import { inProcess } from './docs/in-process.ts';
import { overHttp } from './docs/over-http.ts';

/** What the editor adds to the work that nobody can leave out. */
export default {
  name: 'Document editor (CPU time in process, and over HTTP)',
  run: async (say) => [...(await inProcess(say)), ...(await overHttp(say))],
} satisfies Benchmark;
