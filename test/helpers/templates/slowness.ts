/** Others may take more of the machine later than now. */
const SPARE = 2;

/**
 * How many times as long as usual everything takes at the moment, because of others on the machine; at least once.
 * @param work something of which is known how long it takes where nothing else is done
 */
export async function slowness(work: () => Promise<unknown>, usualMs: number): Promise<number> {
  const begin = performance.now();
  await work();
  return Math.max(1, (SPARE * (performance.now() - begin)) / usualMs);
}
