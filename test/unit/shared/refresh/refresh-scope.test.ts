import { describe, expect, it } from 'vitest';
import { entrySortKey, REFRESH_PARTITION } from '../../../../shared/refresh/epoch-items.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

function anEnvironment() {
  const context = aContext();
  let epoch = 0;
  /** Raises the epoch as the settings module does. */
  const refresh = async (...keys: string[]) => {
    for (const key of keys) {
      epoch += 1;
      await context.unitOfWork(async (unit) => {
        unit.put({ pk: REFRESH_PARTITION, sk: 'epoch', type: 'setting', epoch });
        unit.put({ pk: REFRESH_PARTITION, sk: entrySortKey(epoch), type: 'setting', epoch, key });
      });
    }
  };
  /** A value that counts how often it was loaded. */
  const counted = (key: string) => {
    let loads = 0;
    return context.refreshScope.refreshScoped(key, async () => {
      loads += 1;
      return loads;
    });
  };
  const invoke = (afterMs = 10_000) => {
    context.clock.advance(afterMs);
    return context.refreshScope.atInvocationStart();
  };
  return { context, scope: context.refreshScope, refresh, counted, invoke };
}

describe('refreshScoped', () => {
  it('loads at first use, and only then', async () => {
    const { counted } = anEnvironment();
    const value = counted('a');

    const values = [await value.get(), await value.get()];

    expect(values).toEqual([1, 1]);
  });

  it('loads once for all who wait', async () => {
    const { counted } = anEnvironment();
    const value = counted('a');

    const values = await Promise.all([value.get(), value.get(), value.get()]);

    expect(values).toEqual([1, 1, 1]);
  });

  it('loads again after its key was refreshed', async () => {
    const { counted, refresh, invoke } = anEnvironment();
    const value = counted('a');
    await invoke();
    await value.get();

    await refresh('a');
    const before = await value.get();
    await invoke();

    expect([before, await value.get()]).toEqual([1, 2]);
  });

  it.each([
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a', 'a.b', false],
    ['a', '__REFRESH_ALL__', true],
    ['mail.', 'mail.from', true],
    ['mail.', 'mailbox', false],
    ['mail.*', 'mail.from', true],
    ['mail*', 'mailbox', true],
    ['*', 'anything', true],
  ])('of %s follows a refresh of %s: %s', async (key, refreshed, follows) => {
    const { counted, refresh, invoke } = anEnvironment();
    const value = counted(key);
    await invoke();
    await value.get();

    await refresh(refreshed);
    await invoke();

    expect(await value.get()).toBe(follows ? 2 : 1);
  });

  it('throws when the first load fails, and loads again at the next use', async () => {
    const { scope } = anEnvironment();
    let isBroken = true;
    const value = scope.refreshScoped('a', async () => {
      if (isBroken) throw new Error('not yet');
      return 'loaded';
    });

    await expect(value.get()).rejects.toThrow('not yet');
    isBroken = false;

    expect(await value.get()).toBe('loaded');
  });

  it('keeps the last value when a later load fails, and says so', async () => {
    const { scope, context } = anEnvironment();
    const loads = [
      async () => 'good',
      () => Promise.reject(new Error('broken')),
      async () => 'better',
    ];
    const value = scope.refreshScoped('a', () => loads.shift()?.() ?? Promise.reject());
    await value.get();

    scope.drop('a');
    const during = await value.get();
    const after = await value.get();

    expect([during, after]).toEqual(['good', 'better']);
    expect(context.log.lines).toMatchObject([
      { level: 'error', code: 'CONFIG_REFRESH_FAILED', key: 'a' },
    ]);
  });

  it('does not keep a load that was under way when the key was refreshed', async () => {
    const { scope } = anEnvironment();
    const finish: ((value: string) => void)[] = [];
    const value = scope.refreshScoped(
      'a',
      () => new Promise<string>((resolve) => finish.push(resolve)),
    );
    const first = value.get();

    scope.drop('a');
    const second = value.get();
    finish[1]?.('new');
    finish[0]?.('old');

    expect([await first, await second, await value.get()]).toEqual(['old', 'new', 'new']);
  });

  it('falls back on the newest value, not on that of a load which ended last', async () => {
    const { scope } = anEnvironment();
    const finish: ((value: string) => void)[] = [];
    let isBroken = false;
    const value = scope.refreshScoped('a', () =>
      isBroken
        ? Promise.reject(new Error('broken'))
        : new Promise<string>((resolve) => finish.push(resolve)),
    );
    const loads = [value.get()];
    scope.drop('a');
    loads.push(value.get());
    finish[1]?.('new');
    await loads[1];
    finish[0]?.('old');
    await loads[0];

    isBroken = true;
    scope.drop('a');

    expect(await value.get()).toBe('new');
  });
});

describe('atInvocationStart', () => {
  it('looks at the epoch once within the staleness', async () => {
    const { context, invoke } = anEnvironment();
    await invoke(0);
    context.db.meter.reset();

    for (const ms of [0, 5_000, 4_999]) await invoke(ms);
    const within = context.db.meter.requests.length;
    await invoke(1);

    expect([within, context.db.meter.requests.length]).toEqual([0, 1]);
  });

  it('looks at every invocation when the staleness is 0', async () => {
    const context = aContext({ svc: { 'config.refresh-staleness-ms': 0 } });

    await context.refreshScope.atInvocationStart();
    await context.refreshScope.atInvocationStart();

    expect(context.db.meter.total().requests).toEqual(['GetItem', 'GetItem']);
  });

  it('reads the entries of several steps with one query', async () => {
    const { context, counted, refresh, invoke } = anEnvironment();
    const [a, b, c] = [counted('a'), counted('b'), counted('c')];
    await invoke();
    await Promise.all([a.get(), b.get(), c.get()]);
    await refresh('a', 'x', 'b');

    const cost = await context.db.meter.costOf(() => invoke());

    expect(await Promise.all([a.get(), b.get(), c.get()])).toEqual([2, 2, 1]);
    expect(cost.requests).toEqual(['GetItem', 'Query 3']);
  });

  it('refreshes everything when more than 100 steps were made', async () => {
    const { context, counted, refresh, invoke } = anEnvironment();
    const value = counted('untouched');
    await invoke();
    await value.get();
    await refresh(...Array.from({ length: 101 }, (_, i) => `key.${i}`));

    const cost = await context.db.meter.costOf(() => invoke());

    expect(await value.get()).toBe(2);
    expect(cost.requests).toEqual(['GetItem']);
  });

  it('refreshes everything when an entry is gone', async () => {
    const { context, counted, refresh, invoke } = anEnvironment();
    const value = counted('untouched');
    await invoke();
    await value.get();
    await refresh('a', 'b');
    await context.unitOfWork(async (unit) =>
      unit.delete({ pk: REFRESH_PARTITION, sk: entrySortKey(1) }),
    );

    await invoke();

    expect(await value.get()).toBe(2);
  });

  it('refreshes everything when the epoch went back, as after a restore', async () => {
    const { context, counted, refresh, invoke } = anEnvironment();
    await refresh('a', 'b', 'c');
    const value = counted('untouched');
    await invoke();
    await value.get();
    await context.unitOfWork(async (unit) =>
      unit.put({ pk: REFRESH_PARTITION, sk: 'epoch', type: 'setting', epoch: 1 }),
    );

    await invoke();

    expect(await value.get()).toBe(2);
  });

  it('sees steps that were made before its first look as done', async () => {
    const { counted, refresh, invoke } = anEnvironment();
    await refresh('a');
    const value = counted('a');

    await invoke();
    await value.get();
    await invoke();

    expect(await value.get()).toBe(1);
  });

  it('drops a value that was loaded before the first look could be made', async () => {
    const { context, counted, refresh, invoke } = anEnvironment();
    context.db.failNext('network');
    await invoke(0);
    const value = counted('a');
    await value.get();
    await refresh('a');

    await invoke();

    expect(await value.get()).toBe(2);
  });

  it('keeps values and does not fail while the table does not answer', async () => {
    const { context, counted, refresh, invoke } = anEnvironment();
    const value = counted('a');
    await invoke();
    await value.get();
    await refresh('a');
    context.db.failNext('network', { times: 2 });

    await invoke();
    await invoke();
    const during = await value.get();
    await invoke();

    expect([during, await value.get()]).toEqual([1, 2]);
    expect(context.log.lines.map(({ code }) => code)).toEqual([
      'CONFIG_REFRESH_UNAVAILABLE',
      'CONFIG_REFRESH_UNAVAILABLE',
    ]);
  });

  it('tries again after a query that failed, and misses nothing', async () => {
    const { context, counted, refresh, invoke } = anEnvironment();
    const value = counted('a');
    await invoke();
    await value.get();
    await refresh('a');
    context.db.failNext('network', { operation: 'Query' });

    await invoke();
    const during = await value.get();
    await invoke();

    expect([during, await value.get()]).toEqual([1, 2]);
  });
});
