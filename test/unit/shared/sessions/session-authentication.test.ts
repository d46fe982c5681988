import { importJWK, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { sessionKeyOf } from '../../../../functions/identity/login/session-key.ts';
import { SessionKeys } from '../../../../functions/identity/login/session-keys.ts';
import type { SecretReader } from '../../../../shared/lambda/module-context.ts';
import { sessionAuthentication } from '../../../../shared/sessions/session-authentication.ts';
import { SESSION_AUDIENCE, SESSION_ISSUER } from '../../../../shared/sessions/session-issuer.ts';
import { startJwksServer } from '../../../helpers/api/jwks-server.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const SECRET = 'a secret of these tests that is long enough';

async function aKey(text = SECRET) {
  const key = await sessionKeyOf(text);
  if (!key) throw new Error('There is no such key');
  return key;
}

async function aSession(now: number, typ = 'at+jwt') {
  const { kid, privateKey } = await aKey();
  const seconds = Math.floor(now / 1_000);
  return new SignJWT({ roles: ['admin'], groups: ['sales'], tenant: 'blue' })
    .setProtectedHeader({ alg: 'ES256', kid, typ })
    .setIssuer(SESSION_ISSUER)
    .setAudience(SESSION_AUDIENCE)
    .setSubject('mai')
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 60)
    .sign(await importJWK(privateKey, 'ES256'));
}

/** A function whose configuration names neither the issuer of logins nor claims as their tokens have them. */
function aFunction(more: { keysAddress?: string; isOwn?: boolean } = {}) {
  const svc = { security: { 'roles-claim': 'realm.roles', 'tenant-claim': 'org', dev: true } };
  const { config, table, machineClock: clock } = aContext({ svc });
  const authenticate = sessionAuthentication({
    ...{ security: config.security, table, clock, keysAddress: more.keysAddress },
    ...(more.isOwn && { readKeys: async () => [(await aKey()).publicKey] }),
  });
  const as = (token: string) => authenticate({ authorization: `Bearer ${token}` });
  return { as, now: () => clock.now() };
}

describe('the token of a login', () => {
  it('is accepted by a function that is told where the keys are, whatever claims other issuers have', async () => {
    const { publicKey } = await aKey();
    const server = await startJwksServer({ keys: [publicKey] });
    try {
      const { as, now } = aFunction({ keysAddress: server.jwksUri });

      expect(await as(await aSession(now()))).toMatchObject({
        ...{ id: 'mai', roles: ['admin'], groups: ['sales'], tenant: 'blue' },
      });
    } finally {
      await server.close();
    }
  });

  it('is accepted by the function that signs, which fetches nothing', async () => {
    const { as, now } = aFunction({ isOwn: true });

    expect(await as(await aSession(now()))).toMatchObject({ id: 'mai', issuer: SESSION_ISSUER });
  });

  it('is refused where there are no logins, and as a token of another kind', async () => {
    const others = aFunction();
    const own = aFunction({ isOwn: true });

    await expect(others.as(await aSession(others.now()))).rejects.toMatchObject({ status: 401 });
    await expect(own.as(await aSession(own.now(), 'JWT'))).rejects.toMatchObject({ status: 401 });
  });
});

describe('a key that takes the place of another one', () => {
  it('is published at once, and signs ten minutes later', async () => {
    const { machineClock: clock, log } = aContext();
    const rotatedAt = clock.now();
    const readSecret: SecretReader = Object.assign(
      async (_: string, version?: string) => (version ? `former ${SECRET}` : SECRET),
      { versionOf: async () => 'v1', madeAt: async () => rotatedAt },
    );
    const keys = new SessionKeys({ readSecret, clock, log, secret: 'svc-cloud/session' });
    const [newest, former] = [await aKey(), await aKey(`former ${SECRET}`)];

    expect((await keys.current()).kid).toBe(former.kid);
    expect((await keys.published()).map(({ kid }) => kid)).toEqual([newest.kid, former.kid]);
    clock.advance(600_000);
    expect((await keys.current()).kid).toBe(newest.kid);
  });
});
