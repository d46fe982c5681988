/** Schemas leave out this name without a word, and a filter would lose its condition. */
export const UNSAFE = '__proto__';

/** A value that was sent, and what a schema made of it. */
interface Place {
  readonly sent: object;
  readonly taken: unknown;
  readonly above?: Place;
  readonly name?: string;
}

/** Path of a member of that name that was sent and that a schema has left out. */
export function droppedMember(sent: unknown, taken: unknown): readonly string[] | undefined {
  const open: Place[] = isObject(sent) ? [{ sent, taken }] : [];
  for (let place = open.pop(); place; place = open.pop()) {
    // What no schema looks into is passed on as it is.
    if (place.sent === place.taken) continue;
    if (Object.hasOwn(place.sent, UNSAFE) && member(place.taken, UNSAFE) === undefined) {
      return [...pathOf(place), UNSAFE];
    }
    open.push(...inside(place));
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const inside = (above: Place): Place[] =>
  Object.entries(above.sent).flatMap(([name, sent]) =>
    isObject(sent) ? [{ sent, taken: member(above.taken, name), above, name }] : [],
  );

function pathOf({ above, name }: Place): string[] {
  const path: string[] = [];
  for (let at: Place | undefined = above, own = name; own !== undefined; at = at?.above) {
    path.unshift(own);
    own = at?.name;
  }
  return path;
}
