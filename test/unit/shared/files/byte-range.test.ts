import { describe, expect, it } from 'vitest';
import { readByteRange } from '../../../../shared/files/byte-range.ts';

describe('readByteRange', () => {
  it.each([
    [undefined, undefined],
    ['bytes=0-9', { from: 0, to: 9 }],
    ['bytes=5-5', { from: 5, to: 5 }],
    ['bytes=90-200', { from: 90, to: 99 }],
    ['bytes=0-', { from: 0, to: 39 }],
    ['bytes=70-', { from: 70, to: 99 }],
    ['bytes=-5', { from: 95, to: 99 }],
    ['bytes=-500', { from: 0, to: 39 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-5', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,5-6', undefined],
    ['items=0-1', undefined],
    ['bytes=99999999999999999999-', undefined],
  ])('reads %s of 100 bytes, 40 at most, as %j', (header, range) => {
    expect(readByteRange(header, 100, 40)).toEqual(range);
  });

  it('finds nothing in an empty file', () => {
    expect(readByteRange('bytes=0-', 0, 40)).toBe('unsatisfiable');
  });
});
