import type { TemplatesApi } from './templates-api.ts';

type World = Pick<TemplatesApi, 'context' | 'storage'>;

/**
 * Runs work that dies with its n-th write to table or storage: nothing that it calls from then on comes back. Reads change
 * nothing, so that these are all the states it can leave.
 * @returns whether it has ended before
 */
export async function dyingAt(
  writes: number,
  { context, storage }: World,
  work: () => Promise<unknown>,
) {
  const { client } = context.db;
  const { put, delete: remove } = storage;
  const send = client.send.bind(client) as (command: object) => Promise<unknown>;
  let left = writes;
  const { promise: death, resolve: die } = Promise.withResolvers<boolean>();
  const mortal =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>, isWrite: (...args: A) => boolean) =>
    (...args: A): Promise<T> => {
      if (isWrite(...args)) left -= 1;
      if (left >= 0) return call(...args);
      die(false);
      return new Promise(() => undefined);
    };
  const changes = ({ constructor: { name } }: object) => /Write|Put|Update|Delete/.test(name);
  Object.assign(client, { send: mortal(send, changes) });
  Object.assign(storage, { put: mortal(put, () => true), delete: mortal(remove, () => true) });
  const hasEnded = await Promise.race([work().then(() => true), death]);
  Object.assign(client, { send });
  Object.assign(storage, { put, delete: remove });
  return hasEnded;
}
