/** A value that was locked, or a control that shows one; copies are those of text boxes for older readers. */
export interface Comparable {
  readonly text: string;
  readonly isCopy: boolean;
}

export interface LockedPairs<P, V> {
  readonly found: readonly { readonly place: P; readonly value: V }[];
  readonly missing: readonly V[];
}

/**
 * Which control shows which value of a field: equal texts first, so that a control may be moved, then in the order of the
 * document. A control that came in addition gets the first value.
 */
export function pairLockedValues<P extends Comparable, V extends Comparable>(
  values: readonly V[],
  places: readonly P[],
): LockedPairs<P, V> {
  const found: { place: P; value: V }[] = [];
  const open = [...values];
  const take = (index: number): V | undefined => open.splice(index, 1)[0];
  const changed: P[] = [];
  for (const place of places) {
    const value = take(
      indexOr(
        open.findIndex((one) => isSame(one, place)),
        open.length,
      ),
    );
    if (value) found.push({ place, value });
    else changed.push(place);
  }
  for (const place of changed) {
    const index = open.findIndex(({ isCopy }) => isCopy === place.isCopy);
    const value = take(indexOr(index, open.length)) ?? values[0];
    if (value) found.push({ place, value });
  }
  // An editor may drop the copies.
  return { found, missing: open.filter(({ isCopy }) => !isCopy) };
}

const indexOr = (index: number, otherwise: number): number => (index < 0 ? otherwise : index);

const isSame = (one: Comparable, other: Comparable): boolean =>
  one.isCopy === other.isCopy && one.text === other.text;
