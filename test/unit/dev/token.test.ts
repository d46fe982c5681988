import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { ensureDevIssuer, signDevToken } from '../../../bin/dev/dev-issuer.ts';
import { parseTokenOptions } from '../../../bin/dev/token.ts';

const newIssuerFile = (): string => join(mkdtempSync(join(tmpdir(), 'issuer-')), 'issuer.json');

describe('parseTokenOptions', () => {
  it('reads subject, roles, groups, permissions and tenant', () => {
    const args =
      '--sub ann --role admin --role clerk --group sales --permission setting:view --tenant t1';

    expect(parseTokenOptions(args.split(' '))).toEqual({
      sub: 'ann',
      roles: ['admin', 'clerk'],
      groups: ['sales'],
      permissions: ['setting:view'],
      tenant: 't1',
    });
  });

  it('takes the subject demo without roles when nothing is said', () => {
    expect(parseTokenOptions([])).toEqual({ sub: 'demo', roles: [], groups: [], permissions: [] });
  });

  it('refuses an unknown option with the usage', () => {
    expect(() => parseTokenOptions(['--rol', 'x'])).toThrow(
      expect.objectContaining({ advice: expect.stringContaining('--sub <user>') }),
    );
  });
});

describe('signDevToken', () => {
  it('signs a token that the published key verifies', async () => {
    const issuer = await ensureDevIssuer(newIssuerFile());

    const token = await signDevToken(issuer, { sub: 'ann', roles: ['admin'], tenant: 't1' });

    const keys = createLocalJWKSet({ keys: [...issuer.jwks.keys] });
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: issuer.issuer,
      audience: 'svc-cloud',
      typ: 'at+jwt',
    });
    expect(protectedHeader.alg).toBe('ES256');
    expect(payload).toMatchObject({
      sub: 'ann',
      preferred_username: 'ann',
      roles: ['admin'],
      permissions: [],
      tenant: 't1',
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(12 * 3600);
  });

  it('can sign one that has expired', async () => {
    const issuer = await ensureDevIssuer(newIssuerFile());

    const token = await signDevToken(issuer, { sub: 'ann', lifetimeSeconds: -60 });

    const keys = createLocalJWKSet({ keys: [...issuer.jwks.keys] });
    await expect(jwtVerify(token, keys)).rejects.toThrow(/"exp"/);
  });
});

describe('ensureDevIssuer', () => {
  it('makes one key pair per machine, without its private half in what is published', async () => {
    const file = newIssuerFile();

    const [first, second] = await Promise.all([ensureDevIssuer(file), ensureDevIssuer(file)]);

    expect(await ensureDevIssuer(file)).toEqual(first);
    expect(second).toEqual(first);
    expect(first.jwks.keys[0]).not.toHaveProperty('d');
    expect(statSync(file).mode & 0o077).toBe(0);
  });
});
