/** An item on the way of the search. */
interface Node<T> {
  readonly item: T;
  readonly place: number;
  /** The place of the last of those that it waits for. */
  readyAt: number;
  /** When the search came to it; infinite once its knot is known. */
  order: number | undefined;
}

/**
 * Items in their order, but each behind those that it refers to: whoever stores one knot after the other finds the targets
 * there. A knot is one item, or all that refer to each other in a circle (Tarjan's search).
 * @param targetsOf ids that an item refers to; those that no item has do not count
 */
export function knotsOf<T>(
  items: readonly T[],
  idOf: (item: T) => unknown,
  targetsOf: (item: T) => readonly string[],
): T[][] {
  const nodes = items.map((item, place): Node<T> => {
    return { item, place, readyAt: place, order: undefined };
  });
  const byId = Map.groupBy(nodes, ({ item }) => idOf(item));
  const open: Node<T>[] = [];
  const knots: { readonly knot: Node<T>[]; readonly readyAt: number }[] = [];
  let count = 0;
  const visit = (node: Node<T>): number => {
    const order = count++;
    node.order = order;
    const depth = open.push(node) - 1;
    let earliest = order;
    for (const target of targetsOf(node.item).flatMap((id) => byId.get(id) ?? [])) {
      earliest = Math.min(earliest, target.order ?? visit(target));
      node.readyAt = Math.max(node.readyAt, target.readyAt);
    }
    if (earliest === order) close(open.splice(depth));
    return earliest;
  };
  const close = (knot: Node<T>[]): void => {
    const readyAt = Math.max(...knot.map((node) => node.readyAt));
    for (const node of knot) Object.assign(node, { order: Number.POSITIVE_INFINITY, readyAt });
    knots.push({ knot, readyAt });
  };
  for (const node of nodes) if (node.order === undefined) visit(node);
  return knots
    .sort((one, other) => one.readyAt - other.readyAt)
    .map(({ knot }) => knot.sort((one, other) => one.place - other.place).map(({ item }) => item));
}
