import { describe, expect, it } from 'vitest';
import { createBatchWriter } from '../../../../shared/store/batch-writer.ts';
import { memoryDynamoDb } from '../../../helpers/memory-dynamodb/memory-dynamodb.ts';

const items = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ pk: 'p', sk: String(at).padStart(4, '0') }));

/** A client that leaves the last item of each batch undone some times. */
function leaving(client: ReturnType<typeof memoryDynamoDb>['client'], times: number) {
  let left = times;
  const send = async (command: { input: { RequestItems?: Record<string, unknown[]> } }) => {
    const [[table, requests] = ['', []]] = Object.entries(command.input.RequestItems ?? {});
    if (left === 0) return client.send(command as never);
    left -= 1;
    const done = requests.slice(0, -1);
    if (done.length > 0) {
      await client
        .send({ ...command, input: { RequestItems: { [table]: done } } } as never)
        .catch(() => undefined);
    }
    return { UnprocessedItems: { [table]: requests.slice(-1) } };
  };
  return { send } as unknown as typeof client;
}

describe('a batch writer', () => {
  it('writes and deletes any number of items in requests of 25', async () => {
    const db = memoryDynamoDb();
    const write = createBatchWriter(db.client, db.tableName);

    await write({ puts: items(130) });
    await write({ deletes: items(100) });

    expect(db.items()).toHaveLength(30);
    expect(db.meter.requests.map((request) => request.items)).toEqual([
      25, 25, 25, 25, 25, 5, 25, 25, 25, 25,
    ]);
  });

  it('sends nothing when there is nothing to write', async () => {
    const db = memoryDynamoDb();

    await createBatchWriter(db.client, db.tableName)({});

    expect(db.meter.requests).toEqual([]);
  });

  it('sends again what the table left undone', async () => {
    const db = memoryDynamoDb();
    const write = createBatchWriter(leaving(db.client, 1), db.tableName, () => 0);

    await write({ puts: items(1) });

    expect(db.items()).toHaveLength(1);
  });

  it('gives up when the table leaves items undone again and again', async () => {
    const db = memoryDynamoDb();
    const write = createBatchWriter(leaving(db.client, 100), db.tableName, () => 0);

    await expect(write({ puts: items(1) })).rejects.toThrow(/left writes of a batch undone/);
  });
});
