/** A refusal of the engine, in its own words. */
export const told = <const C extends string, const S extends number>(
  code: C,
  status: S,
  title: string,
) => ({
  ...{ code, status, title },
  describe: (refusal: { told: string }): string => `${refusal.told}`,
});
