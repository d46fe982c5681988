/** How often a property is tried: with `PROPERTY_RUNS=10` ten times as often as in `npm test`. */
export const propertyRuns = (count: number): number =>
  Math.ceil(count * Number(process.env.PROPERTY_RUNS ?? 1));
