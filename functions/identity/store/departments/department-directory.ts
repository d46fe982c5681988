import type { Item, Table } from '../../../../shared/store/table.ts';
import type { DepartmentRow } from '../../domain/accounts/department-tree.ts';
import { departmentsPartition } from './department-keys.ts';

interface RowItem extends Item {
  readonly summary: Readonly<Record<string, unknown>> & DepartmentRow;
}

const AT_ONCE = 1_000;

/** The departments of a tenant, as trees need them. */
export class DepartmentDirectory {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async all(tenant: string): Promise<readonly DepartmentRow[]> {
    const rows: DepartmentRow[] = [];
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page = await this.#table.query<RowItem>({
        index: 'gsi1',
        partition: departmentsPartition(tenant),
        limit: AT_ONCE,
        startKey,
      });
      rows.push(...page.items.map(({ summary }) => summary));
      startKey = page.lastKey;
    } while (startKey);
    return rows;
  }
}
