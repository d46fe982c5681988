import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, sameForAll, type TenantClock } from '../primitives/clock.ts';
import type { Item, Key, Table } from './table.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/*
 * Access pattern: lead of each tenant's time (ms)
 *   get    CLOCK#tenants / ahead, an attribute `tenant#<tenant>` each
 */
const clockKey: Key = { pk: 'CLOCK#tenants', sk: 'ahead' };
const attributeOf = (tenant = ''): string => `tenant#${tenant}`;

const ahead = new AsyncLocalStorage<number>();

/** Where a clock runs, and whether the configuration lets tests advance it. */
export interface ClockPlace {
  readonly environment: { readonly stage: string };
  readonly config: { readonly security: { readonly testClock: boolean } };
}

/** Whether tests may advance the time of a tenant: on the stage local only, whatever the configuration says. */
const mayAdvance = ({ environment, config }: ClockPlace): boolean =>
  environment.stage === 'local' && config.security.testClock;

/** The clock of a function. The item is read for each request, so that an advance applies from the next request on. */
export function createTenantClock(place: ClockPlace, table: Table, machine: Clock): TenantClock {
  if (!mayAdvance(place)) return sameForAll(machine);
  const read = async (): Promise<Item | undefined> => table.get(clockKey);
  return {
    machine,
    now: () => machine.now() + (ahead.getStore() ?? 0),
    at: async (tenant, work) => ahead.run(aheadIn(await read(), attributeOf(tenant)), work),
    async times() {
      const item = await read();
      const all = Object.keys(item ?? {}).filter((name) => name.startsWith(attributeOf()));
      return {
        latest: machine.now() + Math.max(0, ...all.map((name) => aheadIn(item, name))),
        of: (tenant) => machine.now() + aheadIn(item, attributeOf(tenant)),
        ahead: all.map((name) => name.slice(attributeOf().length) || undefined),
      };
    },
  };
}

/** Furthest that the time of a tenant goes ahead: ten years, which every date and expiry can hold. */
export const MAX_AHEAD_MS = 3_660 * 86_400_000;

/** Advances the time of a tenant. @param otherwise what is thrown when that would be too far */
export function stageAdvance(
  unit: UnitOfWork,
  tenant: string | undefined,
  ms: number,
  otherwise: () => Error,
): void {
  const names = { '#tenant': attributeOf(tenant) };
  unit.update(
    clockKey,
    {
      expression: 'SET #type = :type ADD #tenant :ms',
      names: { ...names, '#type': 'type' },
      values: { ':type': 'clock', ':ms': ms },
    },
    {
      condition: {
        expression: 'attribute_not_exists(#tenant) OR #tenant <= :room',
        names,
        values: { ':room': MAX_AHEAD_MS - ms },
      },
      otherwise,
    },
  );
}

const aheadIn = (item: Item | undefined, attribute: string): number =>
  Number(item?.[attribute] ?? 0);
