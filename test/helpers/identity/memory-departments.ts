import type {
  Department,
  DepartmentRepository,
  ItemFailure,
  ItemResult,
  NewDepartment,
  WriteOptions,
} from '../../../shared/ports/identity.ts';
import type { MayWrite } from './memory-accounts.ts';

const failed = (code: ItemFailure): ItemResult<never> => ({ kind: 'failed', code, detail: code });

/** Departments in memory. */
export class MemoryDepartments implements DepartmentRepository {
  readonly all = new Map<string, Department>();
  writes = 0;
  readonly #mayWrite: MayWrite;
  readonly #hasUsers: (id: string) => boolean;

  constructor(mayWrite: MayWrite, hasUsers: (id: string) => boolean) {
    this.#mayWrite = mayWrite;
    this.#hasUsers = hasUsers;
  }

  async get(id: string) {
    return this.all.get(id);
  }

  async children(id: string | undefined) {
    return [...this.all.values()].filter(({ parentId }) => parentId === id);
  }

  async ofSource(sourceId: string) {
    return [...this.all.values()].filter((each) => each.sourceId === sourceId);
  }

  async createMany(departments: readonly NewDepartment[], options?: WriteOptions) {
    const results: ItemResult<Department>[] = [];
    for (const each of departments) {
      results.push(await this.#change(options, () => this.#create(each)));
    }
    return results;
  }

  move(id: string, parentId: string | undefined, options?: WriteOptions) {
    return this.#change(options, () => this.#put(id, { parentId }));
  }

  rename(
    id: string,
    name: string,
    { hash, ...options }: WriteOptions & { hash?: string | undefined } = {},
  ) {
    return this.#change(options, () => this.#put(id, { name, ...(hash && { hash }) }));
  }

  async remove(id: string, options?: WriteOptions): Promise<ItemResult<undefined>> {
    const isUsed = (await this.children(id)).length > 0 || this.#hasUsers(id);
    return this.#change<undefined>(options, () => {
      if (isUsed) return failed('NOT_EMPTY');
      this.all.delete(id);
      this.writes += 1;
      return { kind: 'ok', value: undefined };
    });
  }

  /** Paths of names from the root. */
  seen(): string[] {
    const pathOf = ({ name, parentId }: Department): string => {
      const parent = parentId === undefined ? undefined : this.all.get(parentId);
      return parent ? `${pathOf(parent)}/${name}` : name;
    };
    return [...this.all.values()].map(pathOf).sort();
  }

  async #change<T>(
    options: WriteOptions | undefined,
    work: () => ItemResult<T>,
  ): Promise<ItemResult<T>> {
    return (await this.#mayWrite(options)) ? work() : failed('FENCED');
  }

  #create(department: NewDepartment): ItemResult<Department> {
    const known = this.all.get(department.id);
    if (known) return { kind: 'ok', value: known };
    const { parentId } = department;
    if (parentId !== undefined && !this.all.has(parentId)) return failed('PARENT_MISSING');
    this.all.set(department.id, { path: [], version: 0, ...department, code: department.id });
    return this.#put(department.id, {});
  }

  #put(id: string, change: Partial<Department>): ItemResult<Department> {
    const before = this.all.get(id);
    if (!before) return failed('NOT_FOUND');
    const value = { ...before, ...change, version: before.version + 1 };
    this.all.set(id, value);
    this.writes += 1;
    return { kind: 'ok', value };
  }
}
