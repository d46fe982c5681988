import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { apart } from '../../../shared/store/unit-of-work.ts';
import { type MemoryStorage, memoryStorage } from '../captured/memory-storage.ts';
import { aContext, type TestContext } from '../world/a-context.ts';
import { randomOf } from './random.ts';

export type Services = ReturnType<typeof createEntitiesModule>['services'];
export const ENTITY = 'thing';
export const principal = systemPrincipal;

/** Requests after which a process may end. */
const REQUESTS = ['GetItem', 'BatchGetItem', 'Query', 'BatchWriteItem', 'TransactWriteItems'];
const JOB_TOPIC = 'dynamic-entity-job';
const svc = { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } };

/** Some warm environments of one deployment, and its jobs. */
export interface World {
  readonly context: TestContext;
  readonly storage: MemoryStorage;
  readonly environments: readonly Services[];
  /** An environment that has seen nothing. */
  fresh(): Services;
  /** Runs a waiting job, if there is one. @param dieAfter requests until its process ends */
  runJob(random: () => number, dieAfter?: number): Promise<void>;
  /** Does work before the n-th request of other work from now on. */
  between<T>(nth: number, work: () => Promise<void>, other: () => Promise<T>): Promise<T>;
  /** Takes interrupted jobs over. */
  sweep(): Promise<void>;
  openJobs(): number;
}

export function aWorld(count: number): World {
  const bucket = memoryStorage();
  const hooks = new Set<() => void | Promise<void>>();
  const hooked =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      for (const hook of hooks) await hook();
      return call(...given);
    };
  const storage: MemoryStorage = {
    ...bucket,
    get: hooked(bucket.get),
    put: hooked(bucket.put),
    delete: hooked(bucket.delete),
  };
  const host = { storage };
  const context = aContext({ module: 'entities', svc, host });
  const fresh = (): Services =>
    createEntitiesModule(aContext({ module: 'entities', svc, host, besides: context })).services;
  const worker = fresh();
  const waiting: string[] = [];
  let seen = 0;
  const collect = (): void => {
    for (; seen < context.bus.events.length; seen += 1) {
      const event = context.bus.events[seen];
      const { jobId } = (event?.envelope.data ?? {}) as { jobId?: string };
      if (event?.type === JOB_TOPIC && jobId) waiting.push(jobId);
    }
  };
  const beforeEach = (hook: () => void | Promise<void>): (() => void) => {
    const offs = REQUESTS.map((operation) => context.db.before(operation, hook));
    hooks.add(hook);
    return () => {
      hooks.delete(hook);
      for (const off of offs) off();
    };
  };
  return {
    context,
    storage,
    environments: Array.from({ length: count }, fresh),
    fresh,
    async runJob(random, dieAfter) {
      collect();
      const jobId = randomOf(waiting, random);
      if (jobId === undefined) return;
      waiting.splice(waiting.indexOf(jobId), 1);
      let requests = 0;
      const revive = beforeEach(() => {
        requests += 1;
        if (dieAfter !== undefined && requests > dieAfter) throw new Error('The process has ended');
      });
      try {
        await apart(() => worker.jobService.run({ jobId }));
      } catch (error) {
        const isExpected = dieAfter !== undefined || error instanceof Problem;
        if (!isExpected) throw error;
        // The queue delivers it again, unless the sweep comes first.
        if (random() < 0.5) waiting.push(jobId);
      } finally {
        revive();
      }
    },
    async between(nth, work, other) {
      let requests = 0;
      let begun: Promise<void> | undefined;
      const off = beforeEach(async () => {
        requests += 1;
        if (requests !== nth) return;
        off();
        // Another environment, so not in the unit of work of the other.
        begun = apart(work);
        await begun;
      });
      try {
        return await other();
      } finally {
        off();
        await begun;
      }
    },
    async sweep() {
      await worker.jobService.sweep();
      await worker.journal.sweep();
      await worker.openWorkSweep.run();
      await worker.trashExpiry.run();
      collect();
    },
    openJobs: () => context.db.items().filter(({ pk }) => pk === 'DYN_JOB').length,
  };
}
