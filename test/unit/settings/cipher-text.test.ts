import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decrypt,
  type EncryptionKey,
  encrypt,
} from '../../../functions/settings/domain/cipher-text.ts';
import { deriveKey, readKeyMaterial } from '../../../functions/settings/domain/key-material.ts';
import { isCipherText, keyIdOf } from '../../../shared/security/aes-gcm-text.ts';

const CASES = 10_000;
const aKey = async (): Promise<EncryptionKey> =>
  deriveKey({ kind: 'bytes', bytes: randomBytes(32) });
const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('encrypt', () => {
  it('makes enc:v1, the id of the key, and base64url', async () => {
    const key = await aKey();

    const text = encrypt('x', key);

    expect(text).toMatch(/^enc:v1:[0-9a-f]{8}:[A-Za-z0-9_-]{39}$/);
    expect([isCipherText(text), keyIdOf(text)]).toEqual([true, key.kid]);
  });

  it('never makes the same text twice', async () => {
    const key = await aKey();

    const texts = new Set(Array.from({ length: 1_000 }, () => encrypt('same', key)));

    expect(texts.size).toBe(1_000);
  });

  it('is undone by decrypt for any text', async () => {
    const key = await aKey();

    await fc.assert(
      fc.property(anyText, (plain) => decrypt(encrypt(plain, key), key) === plain),
      { numRuns: CASES },
    );
  });
});

describe('decrypt', () => {
  it(`rejects ${CASES} texts with one character changed`, async () => {
    const key = await aKey();
    const anyChange = fc.tuple(anyText, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }));

    await fc.assert(
      fc.property(anyChange, ([plain, at, character]) => {
        const text = encrypt(plain, key);
        const place = at % text.length;
        const changed = text.slice(0, place) + character + text.slice(place + 1);
        fc.pre(changed !== text);
        return decrypt(changed, key) === undefined;
      }),
      { numRuns: CASES },
    );
  });

  it(`rejects ${CASES} texts with one bit of iv, ciphertext or tag turned`, async () => {
    const key = await aKey();

    await fc.assert(
      fc.property(anyText, fc.nat(), (plain, at) => {
        const [prefix, version, kid, body = ''] = encrypt(plain, key).split(':');
        const bytes = Buffer.from(body, 'base64url');
        const bit = at % (bytes.length * 8);
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const changed = [prefix, version, kid, bytes.toString('base64url')].join(':');
        return decrypt(changed, key) === undefined;
      }),
      { numRuns: CASES },
    );
  });

  it('rejects every shortened text', async () => {
    const key = await aKey();
    const text = encrypt('some text of some length', key);

    const readable = Array.from(text, (_, length) => decrypt(text.slice(0, length), key)).filter(
      (plain) => plain !== undefined,
    );

    expect(readable).toEqual([]);
  });

  it('rejects the text of another key, even under its id', async () => {
    const [one, other] = [await aKey(), await aKey()];
    const text = encrypt('x', one);

    const renamed = text.replace(one.kid, other.kid);

    expect(decrypt(text, other)).toBeUndefined();
    expect(decrypt(renamed, other)).toBeUndefined();
    expect(decrypt(text, { ...one, kid: other.kid })).toBeUndefined();
  });

  it.each([
    ['an empty text', ''],
    ['plain text', 'hello'],
    ['an unknown version', 'enc:v2:01234567:AAAA'],
    ['padding', 'enc:v1:01234567:AAA='],
    ['no body', 'enc:v1:01234567:'],
    ['a line break', 'enc:v1:01234567:AAAA\n'],
  ])('rejects %s', async (_what, text) => {
    expect(decrypt(text, await aKey())).toBeUndefined();
    expect(keyIdOf(text) === undefined || isCipherText(text)).toBe(true);
  });
});

describe('deriveKey', () => {
  it('gives one key for one passphrase, and another for another', async () => {
    const [one, same, other] = await Promise.all(
      ['correct horse', 'correct horse', 'correct house'].map((passphrase) =>
        deriveKey({ kind: 'passphrase', passphrase }),
      ),
    );

    expect(one).toEqual(same);
    expect(one?.kid).not.toBe(other?.kid);
    expect(one?.bytes).toHaveLength(32);
  });

  it('keeps the keys of earlier releases', async () => {
    const key = await deriveKey({ kind: 'passphrase', passphrase: 'correct horse battery staple' });

    expect(key.kid).toMatchInlineSnapshot(`"adc893cb"`);
  });

  it.each([
    `hex:${'ab'.repeat(32)}`,
    `hex:${'AB'.repeat(32)}`,
    `base64:${Buffer.alloc(32, 0xab).toString('base64')}`,
    `base64:${Buffer.alloc(32, 0xab).toString('base64url')}`,
  ])('reads 32 bytes from %s', (text) => {
    expect(readKeyMaterial(text)).toEqual({ kind: 'bytes', bytes: Buffer.alloc(32, 0xab) });
  });

  it.each([
    ['secretsmanager:app/aes', { kind: 'reference', reference: 'app/aes' }],
    ['secretsmanager:app/aes#key', { kind: 'reference', reference: 'app/aes#key' }],
    ['any other text', { kind: 'passphrase', passphrase: 'any other text' }],
    ['Hex:abc', { kind: 'passphrase', passphrase: 'Hex:abc' }],
  ])('reads %s', (text, material) => {
    expect(readKeyMaterial(text)).toEqual(material);
  });
});
