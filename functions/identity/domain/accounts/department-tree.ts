/** A department as lists have it. */
export interface DepartmentRow {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly parentId?: string | undefined;
  readonly order?: number | undefined;
}

/** A department with those below it. */
export interface DepartmentNode extends DepartmentRow {
  readonly children: readonly DepartmentNode[];
}

/** The trees of departments, in their order and by name; one whose parent is gone is a root. */
export function treeOf(rows: readonly DepartmentRow[]): readonly DepartmentNode[] {
  const known = new Set(rows.map(({ id }) => id));
  const below = Map.groupBy(rows.toSorted(inOrder), ({ parentId }) =>
    parentId !== undefined && known.has(parentId) ? parentId : undefined,
  );
  const nodesOf = (parentId: string | undefined): readonly DepartmentNode[] =>
    (below.get(parentId) ?? []).map((row) => ({ ...row, children: nodesOf(row.id) }));
  return nodesOf(undefined);
}

/** Orders departments so that children come before those above them. */
export const deepestFirst = (
  a: { readonly path: readonly string[] },
  b: { readonly path: readonly string[] },
): number => b.path.length - a.path.length;

const LAST = Number.MAX_SAFE_INTEGER;

const inOrder = (a: DepartmentRow, b: DepartmentRow): number =>
  (a.order ?? LAST) - (b.order ?? LAST) || a.name.localeCompare(b.name);
