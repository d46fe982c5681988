import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { exists, notExists, versionIs } from '../../../../shared/store/conditions.ts';
import {
  createUnitOfWork,
  currentUnitOfWork,
  type UnitOfWork,
} from '../../../../shared/store/unit-of-work.ts';
import { memoryDynamoDb } from '../../../helpers/memory-dynamodb/memory-dynamodb.ts';
import { predictableIds } from '../../../helpers/world/predictable-ids.ts';

const anItem = (sk = 'a', more: object = {}) => ({ pk: 'p', sk, type: 'thing', ...more });

function aStore(options: Parameters<typeof memoryDynamoDb>[0] = {}) {
  const db = memoryDynamoDb(options);
  const afterCommitErrors: unknown[] = [];
  const unitOfWork = createUnitOfWork({
    client: db.client,
    tableName: db.tableName,
    ids: predictableIds(),
    onAfterCommitError: (error) => afterCommitErrors.push(error),
    pauseMs: () => 0,
  });
  return { db, unitOfWork, afterCommitErrors };
}

describe('unitOfWork', () => {
  it('lets writes that sum up others be staged right before the commit, once for joined work', async () => {
    const { db, unitOfWork } = aStore();
    let sum = 0;

    await unitOfWork(async (unit) => {
      unit.beforeCommit(async () => unit.put(anItem('sum', { sum })));
      for (const step of [1, 2, 3]) {
        await unitOfWork(async () => {
          sum += step;
        });
      }
    });

    expect(db.items()).toEqual([anItem('sum', { sum: 6 })]);
  });

  it('commits all writes in one transaction and gives the result', async () => {
    const { db, unitOfWork } = aStore();
    await unitOfWork(async (unit) => unit.put(anItem('old', { version: 1 })));
    db.meter.reset();

    const result = await unitOfWork(async (unit) => {
      unit.put(anItem('new'), { condition: notExists });
      unit.update({ pk: 'p', sk: 'n' }, { expression: 'ADD n :one', values: { ':one': 1 } });
      unit.check({ pk: 'p', sk: 'none' }, { condition: notExists });
      unit.delete({ pk: 'p', sk: 'old' }, { condition: versionIs(1) });
      return 'done';
    });

    expect(result).toBe('done');
    expect(db.items().map(({ sk }) => sk)).toEqual(['n', 'new']);
    expect(db.meter.total().requests).toEqual(['TransactWriteItems 4']);
  });

  it('sends nothing when there is nothing to write', async () => {
    const { db, unitOfWork } = aStore();

    await unitOfWork(async () => 'read only');

    expect(db.meter.total().requests).toEqual([]);
  });

  it('writes nothing when the work throws', async () => {
    const { db, unitOfWork } = aStore();

    const work = unitOfWork(async (unit) => {
      unit.put(anItem());
      throw new Error('no');
    });

    await expect(work).rejects.toThrow('no');
    expect(db.items()).toEqual([]);
  });

  it('joins the unit that is open', async () => {
    const { db, unitOfWork } = aStore();

    await unitOfWork(async (outer) => {
      outer.put(anItem('a'));
      await unitOfWork(async (inner) => {
        expect(inner).toBe(outer);
        inner.put(anItem('b'));
      });
      expect(db.items()).toEqual([]);
    });

    expect(db.meter.total().requests).toEqual(['TransactWriteItems 2']);
  });

  it('keeps units that run at the same time apart', async () => {
    const { db, unitOfWork } = aStore();

    await Promise.all(
      ['a', 'b'].map((sk) =>
        unitOfWork(async (unit) => {
          await sleep(1);
          unit.put(anItem(sk));
          expect(currentUnitOfWork()).toBe(unit);
        }),
      ),
    );

    expect(db.meter.total().requests).toEqual(['TransactWriteItems 1', 'TransactWriteItems 1']);
    expect(currentUnitOfWork()).toBeUndefined();
  });

  it.each(['conflict', 'throttling'] as const)('runs the work again after a %s', async (fault) => {
    const { db, unitOfWork } = aStore();
    db.failNext(fault, { times: 2 });
    let runs = 0;

    await unitOfWork(async (unit) => {
      runs += 1;
      unit.put(anItem('a', { runs }));
    });

    expect(db.items()).toMatchObject([{ runs: 3 }]);
  });

  it.each([
    ['conflict', { code: 'CONCURRENT_UPDATE', status: 409 }],
    ['throttling', { code: 'SERVICE_UNAVAILABLE', status: 503 }],
  ] as const)('gives up after eight times %s', async (fault, problem) => {
    const { db, unitOfWork } = aStore();
    db.failNext(fault, { times: 99 });

    const work = unitOfWork(async (unit) => unit.put(anItem()));

    await expect(work).rejects.toMatchObject(problem);
    expect(db.meter.requests).toHaveLength(8);
  });

  it('repeats conflicts for as long as it is told, and no longer', async () => {
    const db = memoryDynamoDb();
    let ms = 0;
    let tries = 0;
    const unitOfWork = createUnitOfWork({
      client: db.client,
      tableName: db.tableName,
      ids: predictableIds(),
      onAfterCommitError: () => undefined,
      pauseMs: () => 0,
      elapsed: () => ms,
    });

    const refused = unitOfWork(async (unit) => {
      tries += 1;
      ms += 400;
      unit.retryFor(10_000);
      unit.check({ pk: 'p', sk: 'none' }, { condition: exists, otherwise: 'retry' });
    });

    await expect(refused).rejects.toMatchObject({ code: 'CONCURRENT_UPDATE', status: 409 });
    expect(tries).toBe(25);
  });

  it('runs again when a guard that says retry does not hold', async () => {
    const { db, unitOfWork } = aStore();
    await unitOfWork(async (unit) => unit.put(anItem('a', { version: 1 })));
    let runs = 0;

    await unitOfWork(async (unit) => {
      runs += 1;
      const version = runs === 1 ? 7 : 1;
      unit.put(anItem('a', { version: 2 }), { condition: versionIs(version), otherwise: 'retry' });
    });

    expect(runs).toBe(2);
    expect(db.items()).toMatchObject([{ version: 2 }]);
  });

  it('tells the guards that it runs again for, and no other', async () => {
    const { db, unitOfWork } = aStore();
    const told: string[] = [];
    let tries = 0;
    db.holdTransactions(5);
    const other = unitOfWork(async (unit) => unit.put(anItem('held')));

    await unitOfWork(async (unit) => {
      tries += 1;
      if (tries > 1) await other;
      const guard = (name: string) => ({
        condition: tries < 3 ? exists : notExists,
        otherwise: 'retry' as const,
        onRetry: () => void told.push(`${tries} ${name}`),
      });
      if (tries === 1) unit.put(anItem('held'), { onRetry: guard('held').onRetry });
      unit.put(anItem('new'), guard('new'));
      unit.put(anItem('plain'));
    });

    expect([tries, told]).toEqual([3, ['1 held', '2 new']]);
  });

  it('throws the error of the guard that does not hold, and writes nothing', async () => {
    const { db, unitOfWork } = aStore();

    const work = unitOfWork(async (unit) => {
      unit.put(anItem('a'));
      unit.put(anItem('b'), { condition: exists, otherwise: () => new Error('there is no b') });
    });

    await expect(work).rejects.toThrow('there is no b');
    expect(db.items()).toEqual([]);
  });

  it('throws what the table says when a guard names no error', async () => {
    const { unitOfWork } = aStore();

    const work = unitOfWork(async (unit) => unit.put(anItem(), { condition: exists }));

    await expect(work).rejects.toMatchObject({ name: 'TransactionCanceledException' });
  });

  it('takes 100 writes and refuses more, naming how many there are', async () => {
    const { db, unitOfWork } = aStore();
    const write = (count: number) =>
      unitOfWork(async (unit) => {
        for (let i = 0; i < count; i += 1) unit.put(anItem(String(i)));
      });

    for (const count of [101, 137]) {
      await expect(write(count)).rejects.toMatchObject({
        code: 'UNIT_TOO_LARGE',
        status: 422,
        detail: `The request changes ${count} items in one transaction; the limit is 100. Split the request.`,
      });
    }
    expect(db.items()).toEqual([]);
    await write(100);
    expect(db.items()).toHaveLength(100);
  });

  it('refuses what is more than a transaction carries, before anything is written', async () => {
    const { db, unitOfWork } = aStore();
    const write = (count: number) =>
      unitOfWork(async (unit) => {
        for (let i = 0; i < count; i += 1) {
          unit.put({ ...anItem(String(i)), text: 'x'.repeat(300_000) });
        }
      });

    await expect(write(14)).rejects.toMatchObject({
      code: 'UNIT_TOO_LARGE',
      detail: expect.stringContaining('the limit is 4194304'),
    });
    expect(db.items()).toEqual([]);
    await write(13);
    expect(db.items()).toHaveLength(13);
  });

  it('gives each try a token of its own', async () => {
    const { db, unitOfWork } = aStore();
    const tokens: unknown[] = [];
    db.before('TransactWriteItems', ({ input }) => void tokens.push(input.ClientRequestToken));
    db.failNext('conflict');

    await unitOfWork(async (unit) => unit.put(anItem()));

    expect(new Set(tokens).size).toBe(2);
  });

  it('writes once when the client repeats a request whose answer was lost', async () => {
    const { db, unitOfWork } = aStore({ maxAttempts: 3 });
    db.failNext('answer-lost');

    await unitOfWork(async (unit) =>
      unit.update({ pk: 'p', sk: 'a' }, { expression: 'ADD n :one', values: { ':one': 1 } }),
    );

    expect(db.items()).toMatchObject([{ n: 1 }]);
  });
});

describe('the end of a unit', () => {
  it('runs atClose hooks after all others, also after those that hooks have added', async () => {
    const { unitOfWork } = aStore();
    const steps: string[] = [];

    await unitOfWork(async (unit) => {
      unit.atClose(async () => void steps.push('close'));
      unit.beforeCommit(async () => {
        steps.push('hook');
        unit.beforeCommit(async () => void steps.push('hook of a hook'));
      });
      steps.push('work');
    });

    expect(steps).toEqual(['work', 'hook', 'hook of a hook', 'close']);
  });

  it('lets atClose hooks write, and nothing join any more', async () => {
    const { db, unitOfWork } = aStore();
    const refused: unknown[] = [];

    await unitOfWork(async (unit) => {
      unit.atClose(async () => {
        unit.put(anItem());
        await unitOfWork(async () => undefined).catch((cause) => refused.push(cause));
        try {
          unit.beforeCommit(async () => undefined);
        } catch (cause) {
          refused.push(cause);
        }
      });
    });

    expect(db.items()).toEqual([anItem()]);
    expect(refused).toMatchObject([{ code: 'UNIT_ENDED' }, { code: 'UNIT_ENDED' }]);
  });

  it.each(['commits', 'fails'])('refuses every later call when it %s', async (end) => {
    const { db, unitOfWork } = aStore();
    const units: UnitOfWork[] = [];
    await unitOfWork(async (unit) => {
      units.push(unit);
      if (end === 'fails') throw new Error('no');
    }).catch(() => undefined);
    const key = { pk: 'p', sk: 'a' };
    const hook = async () => undefined;

    for (const unit of units) {
      for (const call of [
        () => unit.put(anItem()),
        () => unit.add(anItem()),
        () => unit.update(key, { expression: 'REMOVE n' }),
        () => unit.delete(key),
        () => unit.check(key, { condition: exists }),
        () => unit.beforeCommit(hook),
        () => unit.atClose(hook),
        () => unit.afterCommit(hook),
        () => unit.afterFailure(hook),
      ]) {
        expect(call).toThrow('UNIT_ENDED');
      }
    }
    expect(units).toHaveLength(1);
    expect(db.items()).toEqual([]);
  });
});

describe('a unit of one added item', () => {
  it('runs again while a transaction holds the item', async () => {
    const { db, unitOfWork } = aStore();
    db.failNext('conflict', { times: 2 });

    await unitOfWork(async (unit) => unit.add(anItem()));

    expect(db.items()).toEqual([anItem()]);
  });

  it('is a put: half the cost of a transaction', async () => {
    const { db, unitOfWork } = aStore();

    await unitOfWork(async (unit) => unit.add(anItem()));

    expect(db.items()).toEqual([anItem()]);
    expect(db.meter.total()).toMatchObject({ requests: ['PutItem 1'], writeUnits: 1 });
  });

  it('commits with the other writes of its unit', async () => {
    const { db, unitOfWork } = aStore();

    await unitOfWork(async (unit) => {
      unit.add(anItem('a'));
      unit.put(anItem('b'));
    });

    expect(db.meter.total().requests).toEqual(['TransactWriteItems 2']);
  });

  it('is committed once when the client repeats a request whose answer was lost', async () => {
    const { db, unitOfWork, afterCommitErrors } = aStore({ maxAttempts: 3 });
    db.failNext('answer-lost');
    const steps: string[] = [];

    await unitOfWork(async (unit) => {
      unit.add(anItem());
      unit.afterCommit(async () => void steps.push('committed'));
    });

    expect({ items: db.items(), steps, afterCommitErrors }).toEqual({
      items: [anItem()],
      steps: ['committed'],
      afterCommitErrors: [],
    });
  });

  it('runs again while the table is asked too much, and says so in the end', async () => {
    const { db, unitOfWork } = aStore();
    db.failNext('throttling', { times: 2 });
    await unitOfWork(async (unit) => unit.add(anItem()));
    db.failNext('throttling', { times: 99 });

    const work = unitOfWork(async (unit) => unit.add(anItem('b')));

    await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(db.items()).toEqual([anItem()]);
  });

  it('throws what else the table says', async () => {
    const { db, unitOfWork } = aStore();
    db.failNext('internal');

    const work = unitOfWork(async (unit) => unit.add(anItem()));

    await expect(work).rejects.toMatchObject({ name: 'InternalServerError' });
  });
});

describe('a unit of one plain put', () => {
  const plain = (otherwise: 'retry' | (() => Error)) => ({
    ...{ condition: notExists, otherwise, isPlain: true },
  });

  it('costs half of a transaction', async () => {
    const { db, unitOfWork } = aStore();

    await unitOfWork(async (unit) => unit.put(anItem(), plain('retry')));

    expect(db.items()).toEqual([anItem()]);
    expect(db.meter.total()).toMatchObject({ requests: ['PutItem 1'], writeUnits: 1 });
  });

  it('commits with the other writes of its unit', async () => {
    const { db, unitOfWork } = aStore();

    await unitOfWork(async (unit) => {
      unit.put(anItem('a'), plain('retry'));
      unit.put(anItem('b'));
    });

    expect(db.meter.total().requests).toEqual(['TransactWriteItems 2']);
  });

  it('throws the error of its guard, also when the answer of the first request was lost', async () => {
    const { db, unitOfWork } = aStore({ maxAttempts: 3 });
    const put = () =>
      unitOfWork(async (unit) =>
        unit.put(
          anItem(),
          plain(() => new Error('It is there')),
        ),
      );
    db.failNext('answer-lost');

    await expect(put()).rejects.toThrow('It is there');
    await expect(put()).rejects.toThrow('It is there');
    expect(db.items()).toEqual([anItem()]);
  });

  it('runs again when its guard says so, and while a transaction holds the item or the table is busy', async () => {
    const { db, unitOfWork } = aStore();
    await unitOfWork(async (unit) => unit.put(anItem()));
    db.failNext('conflict');
    db.failNext('throttling');
    let tries = 0;

    await unitOfWork(async (unit) => {
      tries += 1;
      unit.put(anItem(tries < 4 ? 'a' : 'b'), plain('retry'));
    });

    expect([tries, db.items().map(({ sk }) => sk)]).toEqual([4, ['a', 'b']]);
  });
});

describe('afterCommit', () => {
  it('runs after the commit, in order, once although the unit ran twice', async () => {
    const { db, unitOfWork } = aStore();
    db.failNext('conflict');
    const steps: string[] = [];

    await unitOfWork(async (unit) => {
      unit.put(anItem());
      unit.afterCommit(async () => void steps.push(`first, with ${db.items().length} stored`));
      unit.afterCommit(async () => void steps.push('second'));
    });

    expect(steps).toEqual(['first, with 1 stored', 'second']);
  });

  it('does not run when nothing was committed', async () => {
    const { unitOfWork } = aStore();
    const steps: string[] = [];

    await unitOfWork(async (unit) => {
      unit.afterCommit(async () => void steps.push('ran'));
      unit.put(anItem(), { condition: exists, otherwise: () => new Error('no') });
    }).catch(() => undefined);

    expect(steps).toEqual([]);
  });

  it('is told of when it fails, and undoes nothing', async () => {
    const { db, unitOfWork, afterCommitErrors } = aStore();
    const steps: string[] = [];

    const result = await unitOfWork(async (unit) => {
      unit.put(anItem());
      unit.afterCommit(() => Promise.reject(new Error('bus is down')));
      unit.afterCommit(async () => void steps.push('still runs'));
      return 'done';
    });

    expect(result).toBe('done');
    expect(steps).toEqual(['still runs']);
    expect(afterCommitErrors).toMatchObject([{ message: 'bus is down' }]);
    expect(db.items()).toHaveLength(1);
  });
});

describe('afterFailure', () => {
  it('runs after each try that does not commit, the last one first', async () => {
    const { db, unitOfWork } = aStore();
    db.failNext('conflict');
    const steps: string[] = [];
    let tries = 0;

    await unitOfWork(async (unit) => {
      tries += 1;
      unit.afterFailure(async () => void steps.push('first'));
      unit.afterFailure(async () => void steps.push('second'));
      unit.put(anItem());
    });

    expect(tries).toBe(2);
    expect(steps).toEqual(['second', 'first']);
  });

  it('runs when the work itself fails, whose error stays the answer', async () => {
    const { unitOfWork } = aStore();
    const steps: string[] = [];

    const failed = unitOfWork(async (unit) => {
      unit.afterFailure(async () => void steps.push('ran'));
      throw new Error('no');
    });

    await expect(failed).rejects.toThrow('no');
    expect(steps).toEqual(['ran']);
  });
});
