import { describe, expect, it } from 'vitest';
import { zonedParts } from '../../../../shared/primitives/zones/zoned-parts.ts';

const at = (iso: string, zone: string) => Object.values(zonedParts(Date.parse(iso), zone));

describe('what is shown in a time zone', () => {
  it.each([
    ['2026-03-01T17:00:09.999Z', 'Asia/Ho_Chi_Minh', [2026, 3, 2, 0, 0, 9]],
    ['2026-03-29T00:59:59Z', 'Europe/Berlin', [2026, 3, 29, 1, 59, 59]],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', [2026, 3, 29, 3, 0, 0]],
    ['2026-01-01T00:30:00Z', 'America/St_Johns', [2025, 12, 31, 21, 0, 0]],
    ['2026-01-01T00:00:00Z', 'Asia/Kathmandu', [2026, 1, 1, 5, 45, 0]],
    ['0099-12-31T23:00:00Z', 'UTC', [99, 12, 31, 23, 0, 0]],
  ])('%s in %s', (iso, zone, parts) => {
    expect(at(iso, zone)).toEqual(parts);
  });
});
