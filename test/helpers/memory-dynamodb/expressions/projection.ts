import type { Attributes, AttributeValue } from '../attribute-value.ts';
import { checkNoOverlap, type Path, parsePath } from './path.ts';
import type { Scope } from './scope.ts';
import { TokenReader } from './tokens.ts';

/** Parses a projection: paths separated by commas. */
export function parseProjection(expression: string, scope: Scope): readonly Path[] {
  const reader = new TokenReader(expression, 'ProjectionExpression');
  const paths = [parsePath(reader, scope)];
  while (reader.accept(',')) paths.push(parsePath(reader, scope));
  reader.expectEnd();
  checkNoOverlap(paths, 'ProjectionExpression');
  return paths;
}

/** The parts of an item that lie on the paths; members of a list keep their order. */
export function project(item: Attributes, paths: readonly Path[]): Attributes {
  return part({ M: item }, paths)?.M ?? {};
}

type Steps = readonly (string | number)[];

function part(
  value: AttributeValue | undefined,
  paths: readonly Steps[],
): AttributeValue | undefined {
  if (!value || paths.some((path) => path.length === 0)) return value;
  const below = Map.groupBy(paths, ([step]) => step);
  const inside = (step: string | number, child: AttributeValue | undefined) =>
    part(
      child,
      (below.get(step) ?? []).map((path) => path.slice(1)),
    );
  if (value.L) {
    const places = [...below.keys()]
      .filter((step) => typeof step === 'number')
      .sort((a, b) => a - b);
    const found = places.flatMap((place) => inside(place, value.L?.[place]) ?? []);
    return found.length > 0 ? { L: found } : undefined;
  }
  const names = [...below.keys()].filter((step) => typeof step === 'string');
  const found = names.flatMap((name) => {
    const child = inside(name, value.M?.[name]);
    return child ? [[name, child] as const] : [];
  });
  return found.length > 0 ? { M: Object.fromEntries(found) } : undefined;
}
