import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeBase64Url, open, seal } from '../../../../shared/security/aes-gcm.ts';

const key = randomBytes(32);

describe('open', () => {
  it.each(['', 'x', 'x'.repeat(100_000)])('gives back what was sealed', (plain) => {
    expect(open(seal(Buffer.from(plain), key, 'a'), key, 'a')?.toString()).toBe(plain);
  });

  it('refuses another key, another context and anything too short', () => {
    const sealed = seal(Buffer.from('x'), key, 'a');

    expect(open(sealed, randomBytes(32), 'a')).toBeUndefined();
    expect(open(sealed, key, 'b')).toBeUndefined();
    expect(open(sealed.subarray(0, 27), key, 'a')).toBeUndefined();
    expect(open(Buffer.alloc(0), key, 'a')).toBeUndefined();
  });

  it('opens what another program sealed by the standard', () => {
    const testKey = Buffer.alloc(32);
    const sealed = Buffer.concat([
      Buffer.alloc(12),
      Buffer.from('cea7403d4d606b6e074ec5d3baf39d18', 'hex'),
      Buffer.from('d0d1c8a799996bf0265b98b5d48ab919', 'hex'),
    ]);

    expect(open(sealed, testKey, '')).toEqual(Buffer.alloc(16));
  });
});

describe('decodeBase64Url', () => {
  it.each([
    ['AAAA', Buffer.alloc(3)],
    ['', Buffer.alloc(0)],
    ['-_8', Buffer.from([0xfb, 0xff])],
  ])('reads %o', (text, bytes) => {
    expect(decodeBase64Url(text)).toEqual(bytes);
  });

  it.each(['AAA=', '+/8', 'AAAB AAA', 'A', '-_9', 'ä'])('refuses the spelling %o', (text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  });
});
