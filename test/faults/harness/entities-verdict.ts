import { expect } from 'vitest';
import { SWEEP_TASK } from '../../../functions/entities/listeners.ts';
import { createEntitiesModule, type EntitiesModule } from '../../../functions/entities/module.ts';
import { sameForAll } from '../../../shared/primitives/clock.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { FaultCloud } from './fault-cloud.ts';
import { localContext } from './local-context.ts';
import { size } from './run.ts';

type Values = Readonly<Record<string, unknown>>;
type Records = ReadonlyMap<string, Values>;
type Parameters = Readonly<Record<string, string>>;
type EntityModel = Awaited<ReturnType<EntitiesModule['services']['catalog']['load']>>;

/** Longer than every lease and every grace. */
const LATER_MS = 7_200_000;
/** Records that facets without counters look at. */
const MAX_TALLIED = 2_000;
let aheadMs = 0;
let lastSweep: Promise<unknown> = Promise.resolve();

/** The entities module in the process of the test. */
export function entitiesModule(cloud: FaultCloud): EntitiesModule {
  return createEntitiesModule(localContext(cloud, 'entities'));
}

/** The module in a time that stands still: how much a query reads ends it, and never how busy the machine is. */
function unhurriedModule(cloud: FaultCloud): EntitiesModule {
  const now = Date.now();
  const clock = sameForAll({ now: () => now });
  return createEntitiesModule({ ...localContext(cloud, 'entities'), clock, tenantClock: clock });
}

/** The module when the time of all that runs now is over, each time later than before. */
function laterModule(cloud: FaultCloud): EntitiesModule {
  aheadMs += LATER_MS;
  const later = aheadMs;
  const clock = sameForAll({ now: () => Date.now() + later });
  return createEntitiesModule({
    ...localContext(cloud, 'entities'),
    clock,
    tenantClock: clock,
  });
}

/** Sweeps up what interrupted calls have left, as the schedule does when their time is over: one sweep at a time. */
export function sweepUp(cloud: FaultCloud): Promise<void> {
  const sweepAll = async () => {
    const sweep = laterModule(cloud).tasks?.[SWEEP_TASK];
    if (!sweep) throw new Error('There is no sweep');
    for (let left = 1; left > 0; ) {
      const { rows, work } = (await sweep({})) as { rows: number; work: number };
      left = rows + work;
    }
  };
  const own = lastSweep.then(sweepAll);
  lastSweep = own.catch(() => undefined);
  return own;
}

/** Asks for the state of a job when the lease of its step is over, which wakes it. */
export async function wakeJob(
  cloud: FaultCloud,
  { entity, id }: { readonly entity: string; readonly id: string },
): Promise<void> {
  await laterModule(cloud).services.jobService.get(entity, id);
}

/** Live records as they are stored: what every answer is held against. */
export function liveRecords(
  items: readonly Readonly<Record<string, unknown>>[],
  entity: string,
): Records {
  const prefix = `DYN_RECORD#${entity}#`;
  const records = items.filter(
    ({ pk, sk, deletedAt }) =>
      String(pk).startsWith(prefix) && sk === 'R' && deletedAt === undefined,
  );
  return new Map(
    records.map(({ pk, v }) => [String(pk).slice(prefix.length), JSON.parse(String(v)) as Values]),
  );
}

/** Holds rows, orders, filters, totals and facets of an entity against its stored records. */
export async function holdAgainstRecords(
  cloud: FaultCloud,
  entity: string,
  fields: readonly string[],
): Promise<Records> {
  const items = await cloud.items();
  const records = liveRecords(items, entity);
  const { services } = unhurriedModule(cloud);
  const model = await services.catalog.load(entity);
  expect(model.definition.indexes.filter(({ state }) => state !== 'READY')).toEqual([]);
  holdRows(items, model.definition, records);
  const ask = (parameters: Parameters) => walk(services, model, parameters);
  expect(sorted(await ask({}))).toEqual(sorted(records.keys()));
  for (const field of fields) {
    for (const sort of [field, `-${field}`]) {
      const ids = await ask({ sort });
      expect(sorted(ids), `sort=${sort}`).toEqual(sorted(records.keys()));
      const runs = ids
        .map((id) => JSON.stringify(records.get(id)?.[field]))
        .filter((value, at, all) => value !== all[at - 1]);
      expect(new Set(runs).size, `runs of ${field} in ${sort}`).toBe(runs.length);
    }
    const byValue = Map.groupBy(records, ([, values]) => values[field]);
    for (const [value, same] of [...byValue].slice(0, size({ long: 20, short: 4 }))) {
      const parameters: Parameters =
        value === undefined || value === null
          ? { [`${field}[null]`]: 'true' }
          : { [`${field}[eq]`]: String(value) };
      const name = JSON.stringify(parameters);
      expect(sorted(await ask(parameters)), name).toEqual(sorted(same.map(([id]) => id)));
      const counted = await services.queryService.count(model, parameters, systemPrincipal);
      expect(counted, name).toEqual({ count: same.length, relation: 'eq' });
    }
  }
  const all = await services.queryService.count(model, {}, systemPrincipal);
  expect(all).toEqual({ count: records.size, relation: 'eq' });
  await holdFacets(services, model, fields, records);
  return records;
}

/** Facets of all records and of a part of them count as one would by hand. */
async function holdFacets(
  { queryService }: EntitiesModule['services'],
  model: EntityModel,
  fields: readonly string[],
  records: Records,
): Promise<void> {
  const all = [...records.values()];
  const [filtered = ''] = fields;
  const value = all.at(-1)?.[filtered];
  const parts: [Parameters, readonly Values[]][] = [
    [{}, all],
    [{ [`${filtered}[eq]`]: String(value) }, all.filter((values) => values[filtered] === value)],
  ];
  for (const [parameters, part] of parts) {
    for (const field of fields) {
      const isCounted = model.field(field)?.facet === true && part === all;
      if (!isCounted && part.length > MAX_TALLIED) continue;
      const answer = await queryService.facets(model, [field], parameters, systemPrincipal);
      const counts = new Map(answer.facets[field]?.map((each) => [each.value, each.count]));
      const byHand = Map.groupBy(part, (values) => values[field] ?? null);
      const name = `facets of ${field} with ${JSON.stringify(parameters)}`;
      expect(answer.isExact, name).toBe(true);
      expect(counts, name).toEqual(new Map([...byHand].map(([key, { length }]) => [key, length])));
    }
  }
}

/** Every record has one row in the index of each field, and no row leads elsewhere. */
function holdRows(
  items: readonly Readonly<Record<string, unknown>>[],
  { code, indexes }: { code: string; indexes: readonly { name: string; kind: string }[] },
  records: Records,
): void {
  const ids = sorted(records.keys());
  const idsOf = (index: string): string[] =>
    items
      .filter(({ pk }) => String(pk).startsWith(`DYN_FIELD_VALUE#${code}#${index}#0`))
      .map(({ sk }) => String(sk).slice(-36));
  for (const { name, kind } of [{ name: '_id', kind: 'field' }, ...indexes]) {
    const found = kind === 'words' ? new Set(idsOf(name)) : idsOf(name);
    expect(sorted(found), `rows of ${name}`).toEqual(ids);
  }
  const open = items.filter(
    ({ pk, sk, entity }) =>
      (pk === 'DYN_ROW_JOURNAL' && entity === code) ||
      (sk === 'PENDING' && String(pk).startsWith(`DYN_RECORD#${code}#`)),
  );
  expect(open).toEqual([]);
}

async function walk(
  { queryService }: EntitiesModule['services'],
  model: EntityModel,
  parameters: Parameters,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const call = { size: 100, cursor, count: 'none', consistent: true, parameters } as const;
    const { page } = await queryService.list(model, call, systemPrincipal);
    ids.push(...page.content.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return ids;
}

const sorted = (ids: Iterable<string>): string[] => [...ids].sort();
