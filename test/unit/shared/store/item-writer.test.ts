import { describe, expect, it } from 'vitest';
import { exists, notExists } from '../../../../shared/store/conditions.ts';
import { createItemWriter } from '../../../../shared/store/item-writer.ts';
import { memoryDynamoDb } from '../../../helpers/memory-dynamodb/memory-dynamodb.ts';

const key = { pk: 'p', sk: 'a' };
const count = { expression: 'ADD n :one', values: { ':one': 1 } };
const always = { expression: 'attribute_not_exists(gone)' };

function aWriter() {
  const db = memoryDynamoDb();
  return { db, writer: createItemWriter(db.client, db.tableName, () => 0) };
}

describe('a write of one item', () => {
  it('waits for the end of a transaction that holds the item', async () => {
    const { db, writer } = aWriter();
    db.failNext('conflict', { times: 3 });

    const isWritten = await writer.mark(key, count, always);

    expect(isWritten).toBe(true);
    expect(db.items()).toMatchObject([{ n: 1 }]);
  });

  it('gives up after four tries', async () => {
    const { db, writer } = aWriter();
    db.failNext('conflict', { times: 99 });

    const write = writer.mark(key, count, always);

    await expect(write).rejects.toMatchObject({ name: 'TransactionConflictException' });
    expect(db.meter.requests).toHaveLength(4);
  });

  it('tells whether its condition held', async () => {
    const { writer } = aWriter();

    expect(await writer.mark(key, count, exists)).toBe(false);
    expect(await writer.put({ ...key, type: 'thing' }, notExists)).toBe(true);
    expect(await writer.update(key, count, exists)).toMatchObject({ n: 1 });
  });
});
