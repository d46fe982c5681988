import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, sameForAll, type TenantClock } from '../primitives/clock.ts';
import type { Item, Key, Table } from './table.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/*
 * Access pattern: lead of each tenant's time (ms)
 *   get    CLOCK#tenants / ahead, an attribute `tenant#<tenant>` each; where it stands, also `since#<tenant>`, the
 *          machine's time then (ms)
 */
const clockKey: Key = { pk: 'CLOCK#tenants', sk: 'ahead' };
const attributeOf = (tenant = ''): string => `tenant#${tenant}`;
const sinceOf = (tenant = ''): string => `since#${tenant}`;

/** The time of a tenant against that of the machine. */
interface Lead {
  readonly ahead: number;
  /** The machine's time when that of the tenant was stopped. */
  readonly since?: number | undefined;
}

const NO_LEAD: Lead = { ahead: 0 };
const leads = new AsyncLocalStorage<Lead>();

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
  const timeOf = ({ ahead, since = machine.now() }: Lead): number => since + ahead;
  return {
    machine,
    now: () => timeOf(leads.getStore() ?? NO_LEAD),
    at: async (tenant, work) => leads.run(leadIn(await read(), tenant), work),
    async times() {
      const item = await read();
      const ahead = Object.keys(item ?? {})
        .filter((name) => name.startsWith(attributeOf()))
        .map((name) => name.slice(attributeOf().length) || undefined);
      const of = (tenant: string | undefined): number => timeOf(leadIn(item, tenant));
      return { latest: Math.max(machine.now(), ...ahead.map(of)), of, ahead };
    },
  };
}

/** Furthest that the time of a tenant goes ahead: ten years, which every date and expiry can hold. */
export const MAX_AHEAD_MS = 3_660 * 86_400_000;

/** By how much the time of a tenant moves. */
export interface Advance {
  readonly ms: number;
  /** The machine's time, where that of the tenant is to stand: only advances move it from then on. */
  readonly stopAt?: number | undefined;
}

/** Advances the time of a tenant. @param otherwise what is thrown when that would be too far */
export function stageAdvance(
  unit: UnitOfWork,
  tenant: string | undefined,
  { ms, stopAt }: Advance,
  otherwise: () => Error,
): void {
  const names = { '#tenant': attributeOf(tenant) };
  const stop = stopAt === undefined ? '' : ', #since = if_not_exists(#since, :since)';
  unit.update(
    clockKey,
    {
      expression: `SET #type = :type${stop} ADD #tenant :ms`,
      names: { ...names, '#type': 'type', ...(stop && { '#since': sinceOf(tenant) }) },
      values: { ':type': 'clock', ':ms': ms, ...(stop && { ':since': stopAt }) },
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

function leadIn(item: Item | undefined, tenant: string | undefined): Lead {
  const since = item?.[sinceOf(tenant)];
  return {
    ahead: Number(item?.[attributeOf(tenant)] ?? 0),
    since: since === undefined ? undefined : Number(since),
  };
}
