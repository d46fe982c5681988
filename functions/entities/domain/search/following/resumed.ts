import { comparePositions, type Position, type SortKey } from '../../query/order.ts';
import type { Hit } from '../hits.ts';
import type { Plan, PlanInput } from '../plan-request.ts';
import { densityOf, type Known } from '../plan-request.ts';

/** The rest of a list: the places that pages before have found, then what a plan finds behind them. */
export function resumed(
  known: Known,
  request: PlanInput & { readonly position: Position },
  planned: (request: PlanInput) => Promise<Plan>,
): Plan {
  const { order, position } = request;
  // Whoever goes back to an earlier page meets what was found behind a later one.
  const isBehind = !known.from || comparePositions(order, known.from, position) <= 0;
  const current = isBehind ? known : { ...known, places: [], isWhole: false };
  const { places, isWhole } = current;
  const first = firstBeyond(places, order, position);
  const last = (first < places.length ? places.at(-1) : undefined) ?? position;
  let at = first;
  let onward: Plan | undefined;
  const next = async (): Promise<Hit | undefined> => {
    const place = places[at];
    at += 1;
    if (place) return { ...place, isProven: false };
    if (isWhole) return undefined;
    onward ??= await planned({ ...request, position: last, known: current });
    return onward.hits.next();
  };
  return {
    hits: { next },
    coversFilter: false,
    density: densityOf(known),
    get name() {
      return onward?.name ?? 'as before';
    },
    get known() {
      return { ...current, ...onward?.known };
    },
  };
}

function firstBeyond(
  places: readonly Position[],
  order: readonly SortKey[],
  position: Position,
): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const place = places[middle];
    if (place && comparePositions(order, place, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
