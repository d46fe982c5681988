import { describe, expect, it } from 'vitest';
import {
  readWallTime,
  wallTimeText,
} from '../../../../../functions/templates/domain/values/wall-time.ts';

const read = (value: unknown, zone = 'Asia/Ho_Chi_Minh') => {
  const time = readWallTime(value, zone);
  return time && wallTimeText(time);
};

describe('readWallTime', () => {
  it.each([
    ['2024-02-29', '2024-02-29'],
    ['2024-02-29T20:30', '2024-02-29T20:30:00'],
    ['2024-02-29T20:30:00Z', '2024-03-01T03:30:00'],
    ['2024-02-29T20:30:00.250Z', '2024-03-01T03:30:00.250'],
    ['2024-02-29T20:30:00+07:00', '2024-02-29T20:30:00'],
    ['2024-02-29T23:30:00-0500', '2024-03-01T11:30:00'],
    ['20:30', '20:30:00'],
    [946_684_800_000, '2000-01-01T07:00:00'],
    [946_684_799_999, '2000-01-01T06:59:59.999'],
    [-1, '1970-01-01T07:59:59.999'],
    ['0001-01-01', '0001-01-01'],
  ])('reads %s', (given, text) => {
    expect(read(given)).toBe(text);
  });

  it.each([
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-1-1',
    '24:00',
    '12:60',
    'today',
    '',
    null,
    {},
    '99999-01-01',
    '2024-02-29T20:30+25:00',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    9e15,
    true,
  ])('refuses %s', (given) => {
    expect(read(given)).toBeUndefined();
  });

  it('follows the summer time of a zone', () => {
    expect(read('2024-07-01T00:00:00Z', 'Europe/Paris')).toBe('2024-07-01T02:00:00');
    expect(read('2024-01-01T00:00:00Z', 'Europe/Paris')).toBe('2024-01-01T01:00:00');
  });
});
