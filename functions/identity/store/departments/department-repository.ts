import type {
  Department,
  DepartmentRepository,
  ItemResult,
  NewDepartment,
  WriteFence,
  WriteOptions,
} from '../../../../shared/ports/identity.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import { exists } from '../../../../shared/store/conditions.ts';
import { readAll } from '../../../../shared/store/read-all.ts';
import type { Table } from '../../../../shared/store/table.ts';
import {
  apart,
  type RunUnitOfWork,
  type UnitOfWork,
} from '../../../../shared/store/unit-of-work.ts';
import { membersPartition } from '../accounts/account-keys.ts';
import { stageFence } from '../accounts/fence.ts';
import { ItemFailed, resultOf } from '../accounts/item-failed.ts';
import {
  type DepartmentItem,
  type DepartmentPointer,
  type StoredDepartment,
  stageDepartment,
  stageDepartmentGone,
  stageNewDepartment,
} from './department-items.ts';
import { belowPartition, departmentKey, departmentLinksPartition } from './department-keys.ts';
import { withPaths } from './department-paths.ts';

interface TableDepartmentsDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly log: Log;
}

/** The departments in the one table. */
export class TableDepartments implements DepartmentRepository {
  readonly #deps: TableDepartmentsDependencies;

  constructor(dependencies: TableDepartmentsDependencies) {
    this.#deps = dependencies;
  }

  async get(id: string): Promise<Department | undefined> {
    const found = await this.#stored(id);
    const [department] = found ? await this.#withPaths([found]) : [];
    return department;
  }

  async children(id: string | undefined, tenant = ''): Promise<readonly Department[]> {
    return this.#behind(belowPartition(await this.#tenantOf(id, tenant), id));
  }

  ofSource(sourceId: string): Promise<readonly Department[]> {
    return this.#behind(departmentLinksPartition(sourceId));
  }

  async createMany(
    departments: readonly NewDepartment[],
    { fence }: WriteOptions = {},
  ): Promise<readonly ItemResult<Department>[]> {
    const results: ItemResult<Department>[] = [];
    // One after the other: a parent is stored before its children.
    for (const department of departments) results.push(await this.#create(department, fence));
    return results;
  }

  /** A code of its own that another department has gets the end of the id behind it. */
  async #create(
    given: NewDepartment,
    fence: WriteFence | undefined,
  ): Promise<ItemResult<Department>> {
    if (given.code !== undefined) return this.#createAs(given, given.code, fence);
    const made = await this.#createAs(given, codeOf(given), fence);
    if (made.kind === 'ok' || made.code !== 'CODE_CONFLICT') return made;
    return this.#createAs(given, `${codeOf(given)}-${given.id.slice(-6)}`, fence);
  }

  #createAs(
    given: NewDepartment,
    code: string,
    fence: WriteFence | undefined,
  ): Promise<ItemResult<Department>> {
    return this.#write(fence, async (unit) => {
      const there = await this.#stored(given.id);
      if (there) return there;
      if (given.parentId !== undefined) stageExists(unit, given.parentId);
      const department = { ...given, code, version: 1 };
      stageNewDepartment(unit, department);
      return department;
    });
  }

  move(
    id: string,
    parentId: string | undefined,
    { fence }: WriteOptions = {},
  ): Promise<ItemResult<Department>> {
    return this.#write(fence, async (unit) => {
      const { parentId: before, ...department } = await this.#existing(id);
      if (before === parentId) return { ...department, ...(before && { parentId: before }) };
      const parent = parentId === undefined ? undefined : await this.get(parentId);
      if (parentId !== undefined && !parent) throw new ItemFailed('PARENT_MISSING');
      if (parent?.path.includes(id)) throw new ItemFailed('CYCLE');
      const version = department.version + 1;
      const next = { ...department, ...(parentId !== undefined && { parentId }), version };
      stageDepartment(unit, next, { ...department, parentId: before });
      return next;
    });
  }

  rename(
    id: string,
    name: string,
    { fence, hash }: WriteOptions & { readonly hash?: string | undefined } = {},
  ): Promise<ItemResult<Department>> {
    return this.#write(fence, async (unit) => {
      const department = await this.#existing(id);
      const isKnown = hash === undefined || department.hash === hash;
      if (department.name === name && isKnown) return department;
      const version = department.version + 1;
      const next = { ...department, name, ...(hash !== undefined && { hash }), version };
      stageDepartment(unit, next, department);
      return next;
    });
  }

  remove(id: string, { fence }: WriteOptions = {}): Promise<ItemResult<undefined>> {
    return this.#attempt(fence, async (unit) => {
      const department = await this.#stored(id);
      if (!department) return undefined;
      const [below, members] = await Promise.all([
        this.#deps.table.query({
          partition: belowPartition(department.tenant ?? '', id),
          limit: 1,
          consistent: true,
        }),
        this.#deps.table.query({ index: 'gsi2', partition: membersPartition(id), limit: 1 }),
      ]);
      if (below.items.length + members.items.length > 0) throw new ItemFailed('NOT_EMPTY');
      stageDepartmentGone(unit, department);
      return undefined;
    });
  }

  async #write(
    fence: WriteFence | undefined,
    work: (unit: UnitOfWork) => Promise<StoredDepartment>,
  ): Promise<ItemResult<Department>> {
    const result = await this.#attempt(fence, work);
    if (result.kind === 'failed') return result;
    const [value] = await this.#withPaths([result.value]);
    return { kind: 'ok', value: value as Department };
  }

  #attempt<T>(
    fence: WriteFence | undefined,
    work: (unit: UnitOfWork) => Promise<T>,
  ): Promise<ItemResult<T>> {
    const { unitOfWork, log } = this.#deps;
    const once = () =>
      apart(() =>
        unitOfWork(async (unit) => {
          const value = await work(unit);
          stageFence(unit, fence);
          return value;
        }),
      );
    return resultOf(once, (cause) => log.error('A department could not be stored', { cause }));
  }

  async #stored(id: string): Promise<StoredDepartment | undefined> {
    return (await this.#deps.table.get<DepartmentItem>(departmentKey(id)))?.department;
  }

  async #existing(id: string): Promise<StoredDepartment> {
    const found = await this.#stored(id);
    if (!found) throw new ItemFailed('NOT_FOUND');
    return found;
  }

  async #tenantOf(id: string | undefined, tenant: string): Promise<string> {
    return id === undefined ? tenant : ((await this.#stored(id))?.tenant ?? tenant);
  }

  async #behind(partition: string): Promise<readonly Department[]> {
    const { table } = this.#deps;
    const pointers = await readAll<DepartmentPointer>(table, { partition });
    const items = await table.getMany<DepartmentItem>(
      pointers.map(({ departmentId }) => departmentKey(departmentId)),
    );
    return this.#withPaths(items.map(({ department }) => department));
  }

  #withPaths(departments: readonly StoredDepartment[]): Promise<readonly Department[]> {
    return withPaths(departments, async (ids) => {
      const items = await this.#deps.table.getMany<DepartmentItem>(ids.map(departmentKey));
      return items.map(({ department }) => department);
    });
  }
}

function stageExists(unit: UnitOfWork, parentId: string): void {
  unit.check(departmentKey(parentId), {
    condition: exists,
    otherwise: () => new ItemFailed('PARENT_MISSING'),
  });
}

/** A code made of the name. */
function codeOf({ name }: NewDepartment): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').replace(/đ/gi, 'd').toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return words.slice(0, 60) || 'department';
}
