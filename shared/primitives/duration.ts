const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SHORT = /^(\d+)(ms|s|m|h|d)$/;
const ISO = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;

/**
 * Reads a length of time: `500ms`, `5s`, `10m`, `1h`, `2d`, or ISO 8601 (`PT5S`, `P1DT2H`).
 * @returns milliseconds, or `undefined` when the text is neither.
 */
export function parseDuration(text: string): number | undefined {
  const short = SHORT.exec(text);
  if (short) return Number(short[1]) * UNITS_MS[short[2] as keyof typeof UNITS_MS];
  if (text === 'P' || text.endsWith('T')) return undefined;
  const iso = ISO.exec(text);
  if (!iso) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = iso
    .slice(1)
    .map((part) => Number(part ?? 0));
  return (
    days * UNITS_MS.d + hours * UNITS_MS.h + minutes * UNITS_MS.m + Math.round(seconds * UNITS_MS.s)
  );
}
