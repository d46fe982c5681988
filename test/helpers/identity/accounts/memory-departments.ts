import type { AccountsUnderTest } from '../../../../functions/identity/contract/contract-case.ts';
import type {
  Department,
  ItemFailure,
  ItemResult,
  NewDepartment,
  WriteOptions,
} from '../../../../shared/ports/identity.ts';
import { done, type IsFenced, refused } from './memory-results.ts';

/** Departments in a map. */
export function memoryDepartments(
  isFenced: IsFenced,
  isMember: (id: string) => boolean,
): AccountsUnderTest['departments'] {
  type Stored = Omit<Department, 'path'>;
  const all = new Map<string, Stored>();
  const pathOf = (id: string): readonly string[] => {
    const parentId = all.get(id)?.parentId;
    return [...(parentId === undefined ? [] : pathOf(parentId)), id];
  };
  const shown = (stored: Stored): Department => ({ ...stored, path: pathOf(stored.id) });
  const change = (
    id: string,
    options: WriteOptions | undefined,
    make: (stored: Stored) => Stored | ItemFailure,
  ): ItemResult<Department> => {
    if (isFenced(options)) return refused('FENCED');
    const stored = all.get(id);
    if (!stored) return refused('NOT_FOUND');
    const next = make(stored);
    if (typeof next === 'string') return refused(next);
    all.set(id, next === stored ? stored : { ...next, version: stored.version + 1 });
    return done(shown(all.get(id) ?? stored));
  };
  const create = (given: NewDepartment): ItemResult<Department> => {
    const { id, name, parentId, tenant = '' } = given;
    const there = all.get(id);
    if (there) return done(shown(there));
    if (parentId !== undefined && !all.has(parentId)) return refused('PARENT_MISSING');
    const isTaken = (code: string) =>
      [...all.values()].some(
        (other) =>
          (other.tenant ?? '') === tenant && other.code.toLowerCase() === code.toLowerCase(),
      );
    if (given.code !== undefined && isTaken(given.code)) return refused('CODE_CONFLICT');
    const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const code = given.code ?? (isTaken(plain) ? `${plain}-${id}` : plain);
    all.set(id, { ...given, code, version: 1 });
    return done(shown({ ...given, code, version: 1 }));
  };
  return {
    get: async (id) => {
      const stored = all.get(id);
      return stored && shown(stored);
    },
    children: async (id, tenant = '') =>
      [...all.values()]
        .filter(
          (each) => each.parentId === id && (id !== undefined || (each.tenant ?? '') === tenant),
        )
        .map(shown),
    ofSource: async (sourceId) =>
      [...all.values()].filter((each) => each.sourceId === sourceId).map(shown),
    createMany: async (given, options) =>
      given.map((each) => (isFenced(options) ? refused('FENCED') : create(each))),
    move: async (id, parentId, options) =>
      change(id, options, (stored) => {
        if (parentId === undefined) {
          const { parentId: _gone, ...root } = stored;
          return root;
        }
        if (!all.has(parentId)) return 'PARENT_MISSING';
        return pathOf(parentId).includes(id) ? 'CYCLE' : { ...stored, parentId };
      }),
    rename: async (id, name, options = {}) =>
      change(id, options, (stored) =>
        stored.name === name && (options.hash === undefined || options.hash === stored.hash)
          ? stored
          : { ...stored, name, ...(options.hash !== undefined && { hash: options.hash }) },
      ),
    remove: async (id, options) => {
      if (isFenced(options)) return refused('FENCED');
      const isParent = [...all.values()].some(({ parentId }) => parentId === id);
      if (isParent || isMember(id)) return refused('NOT_EMPTY');
      all.delete(id);
      return done(undefined);
    },
  };
}
