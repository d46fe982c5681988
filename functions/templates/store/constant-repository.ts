import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { Constant } from '../domain/documents/constant.ts';
import { fieldKey } from '../domain/fields/field.ts';
import { constantKey, constantsPartition } from './template-keys.ts';

interface ConstantItem extends Item {
  readonly constant: Constant;
}

/** Stored constants of tenants; codes that differ in case only are one. */
export class ConstantRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async find(tenant: string, code: string): Promise<Constant | undefined> {
    return (await this.#table.get<ConstantItem>(constantKey(tenant, fieldKey(code))))?.constant;
  }

  async all(tenant: string): Promise<readonly Constant[]> {
    const partition = constantsPartition(tenant);
    const items = await readAll<ConstantItem>(this.#table, { partition });
    return items.map(({ constant }) => constant);
  }

  /** Stages a constant. @param taken what is thrown when a new one exists already */
  stage(unit: UnitOfWork, tenant: string, constant: Constant, taken: () => Error): void {
    const { code, version } = constant;
    unit.put(
      {
        ...constantKey(tenant, fieldKey(code)),
        ...{ type: 'TEMPLATE_CONSTANT', version, constant },
      },
      version === 1
        ? { condition: notExists, otherwise: taken }
        : { condition: versionIs(version - 1), otherwise: 'retry' },
    );
  }

  stageGone(unit: UnitOfWork, tenant: string, { code, version }: Constant): void {
    unit.delete(constantKey(tenant, fieldKey(code)), {
      condition: versionIs(version),
      otherwise: 'retry',
    });
  }
}
