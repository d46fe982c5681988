import type { Shop } from '../a-shop.ts';

const OPERATIONS = ['GetItem', 'PutItem', 'UpdateItem', 'Query', 'TransactWriteItems'];

/**
 * Runs work in a process that dies at one of its requests: from then on nothing of it reaches the table, the queues or
 * the bus.
 * @param requests how many it makes before.
 */
export async function dying(
  { context: { db, queues, bus } }: Shop,
  requests: number,
  work: (hasDied: () => boolean) => Promise<unknown>,
): Promise<void> {
  const { send, postpone } = queues;
  let left = requests;
  const alive = () => {
    left -= 1;
    if (left >= 0) return;
    bus.mode = 'down';
    throw new Error('The process is dead');
  };
  const offs = OPERATIONS.map((operation) => db.before(operation, alive));
  queues.send = async (...message) => {
    alive();
    await send(...message);
  };
  queues.postpone = async (...message) => {
    alive();
    await postpone(...message);
  };
  await work(() => left < 0).catch(() => undefined);
  for (const off of offs) off();
  Object.assign(queues, { send, postpone });
  bus.mode = 'up';
}
