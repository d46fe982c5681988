import { expect } from 'vitest';
import { SWEEP_TASK } from '../../../functions/entities/listeners.ts';
import { createEntitiesModule, type EntitiesModule } from '../../../functions/entities/module.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { FaultCloud } from './fault-cloud.ts';
import { localContext } from './local-context.ts';
import { size } from './run.ts';

type Values = Readonly<Record<string, unknown>>;
type Records = ReadonlyMap<string, Values>;
type Parameters = Readonly<Record<string, string>>;

/** Longer than every lease and every grace. */
const LATER_MS = 7_200_000;
let sweeps = 0;

/** The entities module in the process of the test. */
export function entitiesModule(cloud: FaultCloud): EntitiesModule {
  return createEntitiesModule(localContext(cloud, 'entities'));
}

/** Sweeps up what interrupted calls have left, as the schedule does when their time is over. */
export async function sweepUp(cloud: FaultCloud): Promise<void> {
  const context = localContext(cloud, 'entities');
  sweeps += 1;
  const aheadMs = LATER_MS * sweeps;
  const later = { ...context, clock: { now: () => Date.now() + aheadMs } };
  const sweep = createEntitiesModule(later).tasks?.[SWEEP_TASK];
  if (!sweep) throw new Error('There is no sweep');
  for (let rows = 1; rows > 0; ) ({ rows } = (await sweep({})) as { rows: number });
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
  const { services } = entitiesModule(cloud);
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
  return records;
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
      .filter(({ pk }) => pk === `DYN_FIELD_VALUE#${code}#${index}#0`)
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
  model: Awaited<ReturnType<EntitiesModule['services']['catalog']['load']>>,
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
