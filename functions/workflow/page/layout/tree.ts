import type { ModelItem } from '../model.ts';

/** The plan items by the stage that holds them; `undefined` is the case itself. */
export interface ItemTree {
  readonly childrenOf: ReadonlyMap<string | undefined, readonly ModelItem[]>;
  /** Stages, what is deepest first; the case itself comes last. */
  readonly containers: readonly (string | undefined)[];
  /** The item itself and the stages around it, outermost last. */
  pathOf(id: string): readonly string[];
}

/** An item whose stages are unknown, no stages or contain themselves stands at the top. */
export function treeOf(planItems: readonly ModelItem[]): ItemTree {
  const parents = parentsOf(planItems);
  const childrenOf = Map.groupBy(planItems, ({ id }) => parents.get(id));
  const containers: (string | undefined)[] = [undefined];
  // The list grows while it is read.
  for (const container of containers) {
    for (const { id } of childrenOf.get(container) ?? []) {
      if (childrenOf.has(id)) containers.push(id);
    }
  }
  return {
    childrenOf,
    containers: containers.reverse(),
    pathOf(id) {
      const path = [id];
      for (let at = parents.get(id); at !== undefined; at = parents.get(at)) path.push(at);
      return path;
    },
  };
}

function parentsOf(planItems: readonly ModelItem[]): ReadonlyMap<string, string> {
  const stages = new Set(planItems.filter(({ type }) => type === 'stage').map(({ id }) => id));
  const parents = new Map(
    planItems.flatMap(({ id, parentPlanItemId: parent }) =>
      parent !== undefined && stages.has(parent) ? [[id, parent] as const] : [],
    ),
  );
  const safe = new Set<string>();
  for (const { id } of planItems) {
    const path: string[] = [];
    let at: string | undefined = id;
    while (at !== undefined && !safe.has(at)) {
      if (path.includes(at)) {
        parents.delete(at);
        break;
      }
      path.push(at);
      at = parents.get(at);
    }
    for (const each of path) safe.add(each);
  }
  return parents;
}
