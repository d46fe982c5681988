import { type BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../../../shared/store/paged-read.ts';
import { createTable, type Item } from '../../../../shared/store/table.ts';
import { memoryDynamoDb } from '../../../helpers/memory-dynamodb/memory-dynamodb.ts';

async function aTable(count: number, more: object = {}) {
  const db = memoryDynamoDb();
  for (let from = 0; from < count; from += 25) {
    const numbers = Array.from({ length: Math.min(25, count - from) }, (_, i) => from + i);
    const writes = numbers.map((n) => ({
      PutRequest: {
        Item: { pk: 'p', sk: sortKey(n), type: 'thing', n, isEven: n % 2 === 0, ...more },
      },
    }));
    await db.client.send(new BatchWriteCommand({ RequestItems: { [db.tableName]: writes } }));
  }
  db.meter.reset();
  return { db, table: createTable(db.client, db.tableName) };
}

const sortKey = (n: number): string => `n#${String(n).padStart(5, '0')}`;

describe('query', () => {
  it('finds nothing in a range whose end comes before its beginning, and does not ask', async () => {
    const { db, table } = await aTable(3);

    const found = await table.query({
      partition: 'p',
      between: { from: sortKey(2), to: sortKey(1) },
      limit: 10,
    });

    expect(found).toEqual({ items: [], lastKey: undefined });
    expect(db.meter.total().requests).toEqual([]);
  });

  it('orders the ends of a range as the table does, by bytes', async () => {
    const { table } = await aTable(3);
    const range = { from: 'n#\u{ff5e}', to: 'n#\u{1f600}' };

    expect((await table.query({ partition: 'p', between: range, limit: 10 })).items).toEqual([]);
  });
});

describe('count', () => {
  it('counts a part of a partition over all its pages, and only what the filter lets through', async () => {
    const { db, table } = await aTable(40, { text: 'x'.repeat(100_000) });
    const filter = {
      ...{ expression: '#isEven = :isEven', names: { '#isEven': 'isEven' } },
      values: { ':isEven': true },
    };
    const between = { from: sortKey(5), to: sortKey(34) };

    expect(await table.count({ partition: 'p', consistent: true })).toBe(40);
    expect(db.meter.total().requests.length).toBeGreaterThan(1);
    expect(await table.count({ partition: 'p', filter })).toBe(20);
    expect(await table.count({ partition: 'p', between, filter })).toBe(15);
    expect(await table.count({ partition: 'nobody' })).toBe(0);
    db.meter.reset();
    const nothing = { from: sortKey(2), to: sortKey(1) };
    expect(await table.count({ partition: 'p', between: nothing })).toBe(0);
    expect(db.meter.total().requests).toEqual([]);
  });
});

describe('getMany', () => {
  it('gives items in the order of the keys, without the missing ones', async () => {
    const { table } = await aTable(3);

    const items = await table.getMany([2, 9, 0].map((n) => ({ pk: 'p', sk: sortKey(n) })));

    expect(items.map(({ n }) => n)).toEqual([2, 0]);
  });

  it('asks for nothing when there are no keys', async () => {
    const { db, table } = await aTable(0);

    expect(await table.getMany([])).toEqual([]);
    expect(db.meter.total().requests).toEqual([]);
  });

  it('asks again for what did not fit one answer', async () => {
    const { db, table } = await aTable(60, { text: 'x'.repeat(390 * 1_024) });
    const keys = Array.from({ length: 60 }, (_, n) => ({ pk: 'p', sk: sortKey(n) }));

    const items = await table.getMany(keys);

    expect(items).toHaveLength(60);
    expect(db.meter.requests).toHaveLength(2);
  });

  it('asks for 100 keys at a time, for each key once', async () => {
    const { db, table } = await aTable(250);
    const keys = Array.from({ length: 250 }, (_, n) => ({ pk: 'p', sk: sortKey(n) }));

    const items = await table.getMany([...keys, ...keys.slice(0, 7)]);

    expect(items.map(({ n }) => n)).toEqual([...keys.keys(), ...keys.slice(0, 7).keys()]);
    expect(db.meter.requests).toHaveLength(3);
  });

  it('asks again for keys that were throttled, and is out of service when they stay so', async () => {
    const { db } = await aTable(3);
    const keys = Array.from({ length: 3 }, (_, n) => ({ pk: 'p', sk: sortKey(n) }));
    const pauses: number[] = [];
    let throttled = 0;
    const busy = {
      send: (command: BatchGetCommand) => {
        const wanted = command.input.RequestItems?.[db.tableName]?.Keys ?? [];
        throttled -= 1;
        if (throttled < 0) return db.client.send(command);
        return Promise.resolve({ UnprocessedKeys: { [db.tableName]: { Keys: wanted } } });
      },
    } as unknown as typeof db.client;
    const table = createTable(busy, db.tableName, (round) => {
      pauses.push(round);
      return 0;
    });

    throttled = 3;
    const items = await table.getMany(keys);
    throttled = 100;
    const refused = table.getMany(keys);

    expect(items).toHaveLength(3);
    await expect(refused).rejects.toMatchObject({ name: 'ThrottlingException' });
    expect(pauses).toEqual([1, 2, 3, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('query', () => {
  it.each([
    ['the whole partition', {}, [0, 1, 2, 3, 4]],
    ['a prefix', { beginsWith: 'n#00003' }, [3]],
    ['a range', { between: { from: sortKey(1), to: sortKey(3) } }, [1, 2, 3]],
    ['backwards', { reverse: true, limit: 2 }, [4, 3]],
    ['from a start key', { startKey: { pk: 'p', sk: sortKey(2) } }, [3, 4]],
    ['consistently', { consistent: true }, [0, 1, 2, 3, 4]],
    [
      'what a filter lets through',
      { filter: { expression: 'isEven = :v', values: { ':v': true } } },
      [0, 2, 4],
    ],
  ])('reads %s', async (_what, input, numbers) => {
    const { table } = await aTable(5);

    const { items } = await table.query({ partition: 'p', limit: 10, ...input });

    expect(items.map(({ n }) => n)).toEqual(numbers);
  });
});

describe('readPage', () => {
  const all = { partition: 'p' };
  const numbersOf = ({ content }: { content: readonly Item[] }) => content.map(({ n }) => n);

  it('reads one item more than asked to know whether there is a next page', async () => {
    const { db, table } = await aTable(3);

    const page = await readPage(table, all, { size: 2 }, 'list');

    expect(numbersOf(page)).toEqual([0, 1]);
    expect(page.nextCursor).toBeDefined();
    expect(db.meter.total().requests).toEqual(['Query 3']);
  });

  it('follows cursors to the end, and every item comes once', async () => {
    const { table } = await aTable(7);
    const seen: unknown[] = [];
    let cursor: string | undefined;

    do {
      const page = await readPage(table, all, { size: 3, cursor }, 'list');
      seen.push(...numbersOf(page));
      cursor = page.nextCursor;
    } while (cursor);

    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('walks backwards alike', async () => {
    const { table } = await aTable(4);
    const backwards = { ...all, reverse: true };

    const first = await readPage(table, backwards, { size: 3 }, 'list');
    const second = await readPage(table, backwards, { size: 3, cursor: first.nextCursor }, 'list');

    expect([numbersOf(first), numbersOf(second), second.number]).toEqual([[3, 2, 1], [0], 1]);
  });

  it('does not lose or repeat items when others are written between two pages', async () => {
    const { db, table } = await aTable(4);
    const first = await readPage(table, all, { size: 2 }, 'list');
    const put = { PutRequest: { Item: { pk: 'p', sk: 'n#00001b', n: 'new' } } };
    const remove = { DeleteRequest: { Key: { pk: 'p', sk: sortKey(1) } } };
    await db.client.send(
      new BatchWriteCommand({ RequestItems: { [db.tableName]: [put, remove] } }),
    );

    const second = await readPage(table, all, { size: 2, cursor: first.nextCursor }, 'list');

    expect(numbersOf(second)).toEqual(['new', 2]);
  });

  it('reads on over filtered-out items', async () => {
    const { table } = await aTable(9);
    const filter = { expression: 'n = :v', values: { ':v': 8 } };

    const page = await readPage(table, { ...all, filter }, { size: 2 }, 'list');

    expect(numbersOf(page)).toEqual([8]);
    expect(page.nextCursor).toBeUndefined();
  });

  it('ends a page early, with a cursor, when a filter lets nothing through for long', async () => {
    const { db, table } = await aTable(2_100);
    const filter = { expression: 'n = :v', values: { ':v': 2_099 } };

    const first = await readPage(table, { ...all, filter }, { size: 2 }, 'list');
    const second = await readPage(
      table,
      { ...all, filter },
      { size: 2, cursor: first.nextCursor },
      'list',
    );

    expect([numbersOf(first), numbersOf(second)]).toEqual([[], [2_099]]);
    expect(db.meter.total().requests).toEqual(['Query 1000', 'Query 1000', 'Query 100']);
  });

  it('refuses a page beyond the first 10 000 entries', async () => {
    const { table } = await aTable(0);

    const read = readPage(table, all, { size: 100, page: 100 }, 'list');

    await expect(read).rejects.toMatchObject({
      errors: [{ parameter: 'page', code: 'PAGE_WINDOW_EXCEEDED' }],
    });
  });
});
