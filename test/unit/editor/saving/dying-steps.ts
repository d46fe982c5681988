import type { anOpenDocument } from './saves.ts';

type World = Pick<Awaited<ReturnType<typeof anOpenDocument>>, 'context' | 'storage'>;

const DEAD = 'the function has ended';
const OPERATIONS = [
  'GetItem',
  'BatchGetItem',
  'PutItem',
  'UpdateItem',
  'Query',
  'TransactWriteItems',
];

/** Ends the function before or behind a step: whatever it does from then on fails, until it is started again. */
export function steps({ context, storage }: World) {
  let count = 0;
  let last = Number.POSITIVE_INFINITY;
  const before = () => {
    count += 1;
    if (count > last) throw new Error(DEAD);
  };
  const offs = OPERATIONS.map((operation) => context.db.before(operation, before));
  const { put, head } = storage;
  storage.put = async (...given) => {
    before();
    const written = await put(...given);
    if (count >= last) throw new Error(DEAD);
    return written;
  };
  storage.head = async (path) => {
    before();
    return head(path);
  };
  return {
    count: () => count,
    endAfter: (step: number) => {
      count = 0;
      last = step;
    },
    restart: () => {
      last = Number.POSITIVE_INFINITY;
      for (const off of offs) off();
      Object.assign(storage, { put, head });
    },
  };
}
