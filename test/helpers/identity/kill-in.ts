import type { SyncWorld } from './sync-world.ts';

/**
 * Lets the process of one step die in the middle: from then on nothing of it reaches the table.
 * @param after transactions that still do
 * @returns how often that has happened
 */
export function killIn(
  world: SyncWorld,
  task: string,
  isMeant: (chunk: unknown) => boolean,
  after: number,
) {
  const { db } = world.context;
  const { [task]: run } = world.machine.tasks;
  let kills = 0;
  world.machine.tasks = {
    ...world.machine.tasks,
    [task]: async (input) => {
      if (kills > 0 || !isMeant((input as { chunk?: unknown }).chunk)) return run?.(input);
      kills += 1;
      let writes = 0;
      const operations = ['TransactWriteItems', 'BatchWriteItem', 'PutItem', 'GetItem', 'Query'];
      const undo = operations.map((operation) =>
        db.before(operation, () => {
          writes += operation === 'TransactWriteItems' ? 1 : 0;
          if (writes > after) throw new Error('The process is dead');
        }),
      );
      try {
        return await run?.(input);
      } finally {
        for (const each of undo) each();
      }
    },
  };
  return () => kills;
}
