import type { Log } from '../primitives/log.ts';

/**
 * Runs sweeps one after another: one that fails is logged and keeps none of the others from running.
 * @returns what each has done
 * @throws Error at the end, when one has failed: the function counts it
 */
export async function sweepAll(
  sweeps: Readonly<Record<string, () => Promise<unknown>>>,
  log: Log,
): Promise<Record<string, unknown>> {
  const done: Record<string, unknown> = {};
  const failed: string[] = [];
  for (const [name, sweep] of Object.entries(sweeps)) {
    try {
      done[name] = await sweep();
    } catch (cause) {
      failed.push(name);
      log.error('A sweep has failed', { sweep: name, cause });
    }
  }
  if (failed.length > 0) throw new Error(`Sweeps have failed: ${failed.join(', ')}`);
  return done;
}
