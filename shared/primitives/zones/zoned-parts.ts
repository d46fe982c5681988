/** What a calendar (ISO 8601) and a clock of 24 hours show. */
export interface ZonedParts {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What is shown in a time zone at an instant (epoch ms). */
export function zonedParts(ms: number, zone: string): ZonedParts {
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts.set(type, Number(value));
  const read = (type: string): number => parts.get(type) ?? 0;
  return {
    ...{ year: read('year'), month: read('month'), day: read('day') },
    ...{ hour: read('hour'), minute: read('minute'), second: read('second') },
  };
}

/** A format takes longer to make than to use. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(zone, made);
  return made;
}
