import { describe, expect, it } from 'vitest';
import { allOnDemand, once, onDemand } from '../../../../shared/primitives/once.ts';

class Counter {
  #value = 0;

  async add(by: number): Promise<number> {
    this.#value += by;
    return this.#value;
  }

  async fail(): Promise<never> {
    throw new Error('it does');
  }
}

function aLoad(failures = 0) {
  const load = { calls: 0, services: once(async () => make()) };
  const make = () => {
    load.calls += 1;
    if (load.calls <= failures) throw new Error('no disk');
    return { counter: new Counter() };
  };
  return load;
}

it('loads a service with the first call of a method, once', async () => {
  const load = aLoad();
  const counter = onDemand(load.services, 'counter', 'add');

  expect(load.calls).toBe(0);
  expect(await counter.add(2)).toBe(2);
  expect(await counter.add(3)).toBe(5);
  expect(load.calls).toBe(1);
});

it('loads again after a failure, and hands errors of methods on', async () => {
  const load = aLoad(1);
  const counter = onDemand(load.services, 'counter', 'add', 'fail');

  await expect(counter.add(1)).rejects.toThrow('no disk');
  expect(await counter.add(1)).toBe(1);
  await expect(counter.fail()).rejects.toThrow('it does');
});

it('has the named methods only, so that a promise of it settles', async () => {
  const counter = await Promise.resolve(
    onDemand(async () => ({ counter: new Counter() }), 'counter', 'add'),
  );

  expect(Object.keys(counter)).toEqual(['add']);
});

describe('all services of a file', () => {
  it('are loaded with the first call of any of them, once', async () => {
    const load = aLoad();
    const { counter } = allOnDemand(load.services);
    const { add } = counter;

    expect(load.calls).toBe(0);
    expect(await add(2)).toBe(2);
    expect(await counter.add(3)).toBe(5);
    expect(load.calls).toBe(1);
  });

  it('are loaded again after a failure, and hand errors of methods on', async () => {
    const load = aLoad(1);
    const { counter } = allOnDemand(load.services);

    await expect(counter.add(1)).rejects.toThrow('no disk');
    expect(await counter.add(1)).toBe(1);
    await expect(counter.fail()).rejects.toThrow('it does');
  });

  it('are no promises, so that a promise of them settles', async () => {
    const services = allOnDemand(aLoad().services);

    expect(await Promise.resolve(services)).toBe(services);
    expect(await Promise.resolve(services.counter)).toBeDefined();
  });
});
