import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { ServiceFaults } from './broken-services.ts';
import { type FaultCloud, startFaultCloud } from './fault-cloud.ts';
import { type ProcessPlan, startWorker, type Worker } from './processes.ts';

/** Whether this is `npm run test:faults`; `npm test` runs the short form. */
export const isLong = process.env.FAULTS_MODE === 'long';

/** The seed of the run: FAULT_SEED repeats one. */
export const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);

/** A size for each form of the run. */
export const size = ({ long, short }: { readonly long: number; readonly short: number }): number =>
  isLong ? long : short;

/** Share of the long runs, from 0 to 1: FAULT_SIZE makes them smaller on a machine with other work. */
const share = Number(process.env.FAULT_SIZE ?? 1);

/** How much a run does in each form; an even number. */
export const amount = ({ long, short }: { readonly long: number; readonly short: number }) =>
  isLong ? Math.max(short, Math.ceil((long * share) / 2) * 2) : short;

/**
 * What goes wrong in every long run, besides what it is about: the table, a lagging index, the bucket, sends without an
 * answer. Each answer that is lost costs the time of a claim, which the short form does not wait for.
 */
export const BROKEN: ServiceFaults = isLong
  ? { table: 0.02, lag: 0.2, bucket: 0.05, hang: 0.01 }
  : {};

/** Envelopes above 4 KB have their bodies in the bucket. */
export const SMALL_ROWS = { 'payload-inline-limit': 4_096 };

/** One figure of a run, printed with its seed. */
export function report(what: string, figures: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`  ${what}: ${JSON.stringify({ seed, ...figures })}\n`);
}

/** A local cloud for the tests of a file, and workers that end with it. */
export function useFaultCloud(): {
  readonly cloud: FaultCloud;
  start(plan: Omit<ProcessPlan, 'seed'>): Worker;
  stopAll(): Promise<number>;
} {
  const workers: Worker[] = [];
  let cloud: FaultCloud | undefined;
  let count = 0;
  const stopAll = async (): Promise<number> => {
    const kills = workers.reduce((sum, worker) => sum + worker.kills, 0);
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    return kills;
  };
  beforeAll(async () => {
    cloud = await startFaultCloud();
  }, 120_000);
  afterAll(async () => {
    await stopAll();
    await cloud?.stop();
  }, 60_000);
  return {
    get cloud() {
      if (!cloud) throw new Error('The local cloud has not been started');
      return cloud;
    },
    start(plan) {
      count += 1;
      const worker = startWorker(this.cloud, { ...plan, seed: seed + count * 7 });
      workers.push(worker);
      return worker;
    },
    stopAll,
  };
}

/**
 * Asks again and again until the answer is yes. A question that reads the whole table is asked seldom: the local cloud is
 * there for the processes under test. @throws Error with what was last seen.
 */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  { timeoutMs, describe }: { timeoutMs: number; describe?: () => Promise<unknown> },
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    const askedAt = Date.now();
    if (await isSo()) return;
    await sleep(Math.max(250, 5 * (Date.now() - askedAt)));
  }
  throw new Error(
    `Not within ${timeoutMs} ms: ${what} ${JSON.stringify(await describe?.())} (seed ${seed})`,
  );
}

/** How many items have each value of a member. */
export function countBy(
  items: readonly Record<string, unknown>[],
  name: string,
): Record<string, number> {
  const groups = Map.groupBy(items, (item) => String(item[name]));
  return Object.fromEntries([...groups].map(([value, all]) => [value, all.length]));
}

/** The rows of the outbox. */
export const outboxRows = (items: readonly Record<string, unknown>[]) =>
  items.filter(({ type, sk }) => type === 'message' && sk === 'message');
