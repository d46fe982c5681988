import { describe, expect, it } from 'vitest';
import { buildTree } from '../../../../functions/identity/domain/directory/tree.ts';
import {
  type LinkedDepartment,
  planDepartments,
} from '../../../../functions/identity/domain/plan/department-plan.ts';

const group = (externalId: string, name: string, groups: string[] = []) => ({
  ...{ externalId, name, groups },
  users: [],
});

/** Applies a plan to the departments that are linked. */
function applied(
  links: readonly LinkedDepartment[],
  groups: ReturnType<typeof group>[],
  rootId = 'root',
) {
  let next = links.length;
  const plan = planDepartments({
    ...{ ...buildTree(groups), links, rootId },
    newId: () => {
      next += 1;
      return `d${next}`;
    },
  });
  const state = new Map(links.map((link) => [link.departmentId, link]));
  for (const operation of plan.operations) {
    if (operation.kind === 'create') {
      const { id: departmentId, kind: _, ...rest } = operation;
      state.set(departmentId, { departmentId, ...rest });
    } else if (operation.kind === 'update') {
      const before = state.get(operation.id);
      if (!before) throw new Error('There is no such department');
      const {
        hash,
        newName: name = before.name,
        newParentId: parentId = before.parentId,
      } = operation;
      state.set(operation.id, { ...before, hash, name, parentId });
    } else if (operation.kind === 'remove') {
      const hasChildren = [...state.values()].some(({ parentId }) => parentId === operation.id);
      if (hasChildren) throw new Error('A parent is removed before its children');
      state.delete(operation.id);
    }
  }
  return { plan, links: [...state.values()] };
}
const kinds = ({ plan }: ReturnType<typeof applied>) =>
  plan.operations.map(({ kind, externalId }) => `${kind} ${externalId}`);

describe('the plan of departments', () => {
  const first = applied(
    [],
    [group('b', 'Berlin', ['c']), group('a', 'All', ['b']), group('c', 'Crew')],
  );

  it('makes parents before their children', () => {
    expect(kinds(first)).toEqual(['create a', 'create b', 'create c']);
    expect(first.links.map(({ parentId }) => parentId)).toEqual(['root', 'd1', 'd2']);
  });

  it('does nothing the second time', () => {
    const again = applied(first.links, [
      group('a', 'All', ['b']),
      group('b', 'Berlin', ['c']),
      group('c', 'Crew'),
    ]);
    expect(again.plan).toMatchObject({ operations: [], counts: { unchanged: 3, linked: 3 } });
  });

  it('renames and moves with the same ids', () => {
    const moved = applied(first.links, [
      group('a', 'Everyone', ['b', 'c']),
      group('b', 'Berlin'),
      group('c', 'Crew'),
    ]);
    expect(moved.plan.operations).toMatchObject([
      { kind: 'update', externalId: 'a', newName: 'Everyone' },
      { kind: 'update', externalId: 'c', newParentId: 'd1' },
    ]);
    expect(moved.plan.operations[0]).not.toHaveProperty('newParentId');
  });

  it('moves the roots when the target changes, and nothing else', () => {
    const groups = [group('a', 'All', ['b']), group('b', 'Berlin', ['c']), group('c', 'Crew')];
    const moved = applied(first.links, groups, 'elsewhere');
    expect(moved.plan.operations).toMatchObject([{ externalId: 'a', newParentId: 'elsewhere' }]);
  });

  it('removes children before their parents', () => {
    const gone = applied(first.links, [group('a', 'All')]);
    expect(kinds(gone)).toEqual(['remove c', 'remove b']);
    expect(gone.plan.counts).toMatchObject({ removed: 2, unchanged: 1, linked: 3 });
  });

  it('leaves a department alone that was renamed here, until the source changes it', () => {
    const renamedHere = first.links.map((link) => ({ ...link, name: `${link.name}!` }));
    const groups = [group('a', 'All', ['b']), group('b', 'Berlin', ['c']), group('c', 'Crew')];
    expect(applied(renamedHere, groups).plan.operations).toEqual([]);
  });

  it('notes what is odd about groups', () => {
    const odd = applied([], [group('a', 'A', ['c']), group('b', 'B', ['c']), group('c', 'C')]);
    expect(odd.plan.operations.at(-1)).toMatchObject({ kind: 'note', code: 'MULTIPLE_PARENTS' });
  });
});
