import { expect } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import type { PermissionEvaluator } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer, ContextOptions } from '../../../helpers/world/a-context.ts';
import { anEntitiesApi, type EntitiesApi } from '../entities-api.ts';

const OPERATIONS = [
  'GetItem',
  'Query',
  'BatchGetItem',
  'BatchWriteItem',
  'PutItem',
  'TransactWriteItems',
];

/** An API whose process can end before any request to the table, and whose sweeps and jobs can be run to their end. */
export interface InterruptibleApi extends EntitiesApi {
  readonly files: Map<string, Uint8Array>;
  /** Fails every request from the n-th on (from 0). @returns how to go on, and whether it came to that */
  dieAt(nth: number): () => boolean;
  /** Lets time pass, sweeps and runs jobs until nothing is left to do. */
  settle(): Promise<void>;
  items(prefix: string): readonly Readonly<Record<string, unknown>>[];
}

export function anInterruptibleApi({
  permissionEvaluator = claimsPermissionEvaluator,
  ...options
}: Pick<ContextOptions, 'pauseMs'> & {
  readonly permissionEvaluator?: PermissionEvaluator;
} = {}): InterruptibleApi {
  const storage = memoryStorage();
  const api = anEntitiesApi({ host: { permissionEvaluator, storage }, ...options });
  const { context } = api;
  return {
    ...api,
    files: storage.files,
    dieAt(nth) {
      let seen = 0;
      const hooks = OPERATIONS.map((operation) =>
        context.db.before(operation, () => {
          seen += 1;
          if (seen > nth) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
        }),
      );
      return () => {
        for (const takeOff of hooks) takeOff();
        return seen > nth;
      };
    },
    async settle() {
      for (let round = 0; round < 3; round += 1) {
        context.clock.advance(400_000);
        await api.runTask(SWEEP_TASK);
        await api.runJobs();
      }
    },
    items: (prefix) => context.db.items().filter(({ pk }) => String(pk).startsWith(prefix)),
  };
}

/** Nothing is marked, open or half any more. */
export function expectSettled({ context, items }: InterruptibleApi, name: string): void {
  const marked = context.db.items().filter(({ deleting }) => deleting !== undefined);
  expect(marked, name).toEqual([]);
  expect(items('DYN_OPEN_WORK'), name).toEqual([]);
  expect(
    context.db.items().filter(({ pk }) => pk === 'DYN_JOB'),
    name,
  ).toEqual([]);
  expect(
    context.db.items().filter(({ sk }) => sk === 'PENDING'),
    name,
  ).toEqual([]);
}

/**
 * Ends the process before each request of a call in turn, in a world of its own each time, and looks at what is left.
 * @returns how many requests the call takes
 */
export async function interruptEverywhere<W extends InterruptibleApi>(
  make: () => Promise<W>,
  call: (world: W) => Promise<ApiAnswer>,
  look: (world: W, answer: ApiAnswer, name: string) => Promise<void>,
): Promise<number> {
  for (let nth = 0; ; nth += 1) {
    const world = await make();
    const revive = world.dieAt(nth);
    const answer = await call(world);
    const isInterrupted = revive();
    await world.settle();
    const name = `request ${nth}: ${answer.status} ${answer.body.code ?? ''}`;
    expectSettled(world, name);
    await look(world, answer, name);
    if (!isInterrupted) return nth;
  }
}
