import type { WriteGuard } from '../../../shared/store/commit-writes.ts';
import { versionIs } from '../../../shared/store/conditions.ts';
import type { Key, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';

/*
 * Access patterns (e: entity code)
 *   last number of a series   get     DYN_SEQUENCE#<e> / <name of the series>
 *   series of an entity       query   DYN_SEQUENCE#<e>
 */
export const sequencePartition = (entity: string): string => `DYN_SEQUENCE#${entity}`;
const sequenceKey = (entity: string, series: string): Key => ({
  pk: sequencePartition(entity),
  sk: series,
});

/** Numbers behind the last one that was read. */
interface TakenNumbers {
  readonly seen: number;
  readonly last: number;
  readonly otherwise?: WriteGuard['otherwise'];
}

/** The last number of each series; the version of an item is that number. */
export class NumberRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async last(entity: string, series: string): Promise<number> {
    return (await this.#table.get(sequenceKey(entity, series)))?.version ?? 0;
  }

  /** Takes the numbers behind the last one that was read; by default the unit is repeated when others have taken them. */
  stage(unit: UnitOfWork, entity: string, series: string, taken: TakenNumbers): void {
    const { seen, last, otherwise = 'retry' } = taken;
    const item = { ...sequenceKey(entity, series), type: 'DYN_SEQUENCE', version: last };
    unit.put(item, { condition: versionIs(seen), otherwise });
  }
}
