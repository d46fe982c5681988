import { describe, expect, it } from 'vitest';
import { toInstant } from '../../../../shared/primitives/clock.ts';
import { parseDuration } from '../../../../shared/primitives/duration.ts';
import { uuidV7 } from '../../../../shared/primitives/ids.ts';

describe('parseDuration', () => {
  it.each([
    ['0ms', 0],
    ['500ms', 500],
    ['5s', 5_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['PT5S', 5_000],
    ['PT0.25S', 250],
    ['P1DT2H', 93_600_000],
    ['P1D', 86_400_000],
    ['PT0S', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '5',
    's',
    '5 s',
    '-5s',
    '1.5s',
    '5S',
    'P',
    'PT',
    'P1M',
    'P1W',
    'PT1.2345S',
    '5s5s',
    'pt5s',
  ])('refuses %o', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('uuidV7', () => {
  it('makes ids that sort by their creation', () => {
    const ids = Array.from({ length: 1_000 }, uuidV7);

    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(1_000);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('toInstant', () => {
  it('has milliseconds and is in UTC', () => {
    expect(toInstant(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});
