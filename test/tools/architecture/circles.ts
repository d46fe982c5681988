/** Imports as a graph: what each node leads to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Shortest circle through each group of nodes that reach each other; none when the graph has no circle. */
export function circles(graph: Graph): string[][] {
  const found: string[][] = [];
  const seen = new Set<string>();
  for (const node of graph.keys()) {
    if (seen.has(node)) continue;
    const circle = shortestWay(graph, node);
    if (!circle) continue;
    for (const member of circle) seen.add(member);
    found.push(circle);
  }
  return found;
}

/** Shortest way from a node back to itself. */
function shortestWay(graph: Graph, start: string): string[] | undefined {
  const before = new Map<string, string>();
  let edge = [start];
  while (edge.length > 0) {
    const next: string[] = [];
    for (const node of edge) {
      for (const target of graph.get(node) ?? []) {
        if (target === start) return wayTo(node, before);
        if (before.has(target)) continue;
        before.set(target, node);
        next.push(target);
      }
    }
    edge = next;
  }
  return undefined;
}

function wayTo(end: string, before: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let node = before.get(end); node !== undefined; node = before.get(node)) way.unshift(node);
  return way;
}
