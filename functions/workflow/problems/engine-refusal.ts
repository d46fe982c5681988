/** Declares the problem of a refusal whose text comes from an engine. */
export const engineRefusal = <const C extends string, const S extends number>(
  code: C,
  status: S,
  title: string,
) => ({
  ...{ code, status, title },
  describe: ({ reason }: { reason: string }): string => `${reason}`,
});
