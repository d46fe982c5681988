import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTokenVerifier } from '../../../../shared/security/token-verifier.ts';
import { type JwksServer, startJwksServer } from '../../../helpers/api/jwks-server.ts';
import { fakeClock } from '../../../helpers/world/fake-clock.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';

const AUDIENCE = 'svc-cloud';
const pair = await generateKeyPair('RS256', { extractable: true });
const otherPair = await generateKeyPair('RS256', { extractable: true });
const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
const otherJwk = {
  ...(await exportJWK(otherPair.publicKey)),
  kid: 'two',
  alg: 'RS256',
  use: 'sig',
};

const servers: JwksServer[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function anIssuer(options: { discovery?: boolean; svc?: object; issuer?: object } = {}) {
  const server = await startJwksServer({ keys: [publicJwk] });
  servers.push(server);
  const issuer = {
    issuer: server.issuer,
    audience: AUDIENCE,
    ...(options.discovery ? {} : { jwksUri: server.jwksUri }),
    ...options.issuer,
  };
  const { security } = loadConfig(
    { security: { issuers: [issuer], ...options.svc } },
    { stage: 'local' },
  );
  const clock = fakeClock();
  const nowS = () => Math.floor(clock.now() / 1_000);
  const claims = (more: JWTPayload = {}): JWTPayload => ({
    iss: server.issuer,
    aud: AUDIENCE,
    sub: 'mai',
    exp: nowS() + 300,
    ...more,
  });
  const sign = (more: JWTPayload = {}, header: object = {}, key = pair.privateKey) =>
    new SignJWT(claims(more)).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key);
  return { server, clock, claims, sign, verify: createTokenVerifier(security, clock) };
}

const unauthenticated = { code: 'UNAUTHENTICATED', status: 401 };
const keysUnavailable = { code: 'AUTH_KEYS_UNAVAILABLE', status: 503 };
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token', () => {
  it.each([true, false])(
    'is accepted with its claims (address of the keys by discovery: %s)',
    async (discovery) => {
      const { verify, sign } = await anIssuer({ discovery });

      const claims = await verify(await sign({ roles: ['admin'] }));

      expect(claims).toMatchObject({ sub: 'mai', roles: ['admin'] });
    },
  );

  it('may name several audiences, ours among them', async () => {
    const { verify, sign } = await anIssuer({ issuer: { audience: ['a', AUDIENCE] } });

    await expect(verify(await sign({ aud: ['x', AUDIENCE] }))).resolves.toBeDefined();
  });

  it.each([
    ['expired', { exp: 1 }, 'expired'],
    ['without an expiry', { exp: undefined }, 'exp'],
    ['without a subject', { sub: undefined }, 'sub'],
    ['for another audience', { aud: 'other' }, 'aud'],
    ['without an audience', { aud: undefined }, 'aud'],
    ['not valid yet', { nbf: 4_000_000_000 }, 'nbf'],
    ['of another issuer', { iss: 'https://evil.example.com' }, 'issuer'],
    ['without an issuer', { iss: undefined }, 'issuer'],
  ])('is refused when it is %s', async (_what, claims, word) => {
    const { verify, sign } = await anIssuer();

    const refused = verify(await sign(claims));

    await expect(refused).rejects.toMatchObject({
      ...unauthenticated,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      detail: expect.stringContaining(word),
    });
  });

  it.each([
    [29, true],
    [31, false],
  ])('that expired %i s ago is accepted: %s', async (seconds, isAccepted) => {
    const { verify, sign, clock } = await anIssuer();
    const token = await sign({ exp: Math.floor(clock.now() / 1_000) });
    clock.advance(seconds * 1_000);

    const outcome = await verify(token).then(
      () => true,
      () => false,
    );

    expect(outcome).toBe(isAccepted);
  });

  it.each(['none', 'None', 'NONE', 'nOnE'])('is refused with alg %s', async (alg) => {
    const { verify, claims } = await anIssuer();

    const token = `${part({ alg, kid: 'one' })}.${part(claims())}.`;

    await expect(verify(token)).rejects.toMatchObject(unauthenticated);
  });

  it.each(['HS256', 'HS384', 'HS512'])(
    'is refused when it is signed by %s with the public key',
    async (alg) => {
      const { verify, claims } = await anIssuer();
      const signed = `${part({ alg, kid: 'one' })}.${part(claims())}`;
      const secret = await exportSPKI(pair.publicKey);
      const hash = alg.replace('HS', 'sha');

      const token = `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;

      await expect(verify(token)).rejects.toMatchObject(unauthenticated);
    },
  );

  it('is refused when it names the algorithm of another issuer', async () => {
    const { verify, sign } = await anIssuer({ issuer: { algorithms: ['ES256'] } });

    await expect(verify(await sign())).rejects.toMatchObject(unauthenticated);
  });

  it('is refused when another key signed it under a known id', async () => {
    const { verify, sign } = await anIssuer();

    await expect(verify(await sign({}, {}, otherPair.privateKey))).rejects.toMatchObject(
      unauthenticated,
    );
  });

  it('is refused when its claims were changed', async () => {
    const { verify, sign, claims } = await anIssuer();
    const [header, , signature] = (await sign()).split('.');

    const changed = [header, part(claims({ roles: ['admin'] })), signature].join('.');

    await expect(verify(changed)).rejects.toMatchObject(unauthenticated);
  });

  it.each([
    '',
    'a',
    'a.b',
    'a.b.c',
    '..',
    'e30.e30.',
    'x'.repeat(20_000),
    'null',
    `${part({})}.${part([])}.x`,
  ])('is refused when it is no JWT: %.12s', async (token) => {
    const { verify } = await anIssuer();

    await expect(verify(token)).rejects.toMatchObject(unauthenticated);
  });

  it('carries no key of its own that would be trusted', async () => {
    const { verify, sign } = await anIssuer();
    const jwk = await exportJWK(otherPair.publicKey);

    const token = await sign({}, { jwk, kid: 'own' }, otherPair.privateKey);

    await expect(verify(token)).rejects.toMatchObject(unauthenticated);
  });

  it.each([
    ['at+jwt', true],
    ['JWT', false],
    [undefined, false],
  ])('of typ %s is accepted where at+jwt is demanded: %s', async (typ, isAccepted) => {
    const { verify, sign } = await anIssuer({ svc: { 'required-typ': 'at+jwt' } });

    const outcome = await verify(await sign({}, typ ? { typ } : {})).then(
      () => true,
      () => false,
    );

    expect(outcome).toBe(isAccepted);
  });
});

describe('the keys of an issuer', () => {
  it('are fetched once for many tokens', async () => {
    const { verify, sign, server } = await anIssuer();

    for (let i = 0; i < 5; i += 1) await verify(await sign());

    expect(server.requests()).toBe(1);
  });

  it.each([true, false])(
    'give 503 when they can never be fetched (by discovery: %s)',
    async (discovery) => {
      const { verify, sign, server } = await anIssuer({ discovery });
      const token = await sign();
      await server.close();

      await expect(verify(token)).rejects.toMatchObject(keysUnavailable);
    },
  );

  it.each([500, 404, 302])('give 503 when the issuer answers %i at first', async (status) => {
    const { verify, sign, server } = await anIssuer();
    server.answerWith(status);

    await expect(verify(await sign())).rejects.toMatchObject(keysUnavailable);
  });

  it('serve again once the issuer is back', async () => {
    const { verify, sign, server, clock } = await anIssuer();
    server.answerWith(500);
    await verify(await sign()).catch(() => undefined);
    server.answerWith(200);
    clock.advance(5_000);

    await expect(verify(await sign())).resolves.toBeDefined();
  });

  it('still serve while the issuer cannot be reached', async () => {
    const { verify, sign, server } = await anIssuer();
    await verify(await sign());
    await server.close();

    await expect(verify(await sign())).resolves.toBeDefined();
  });

  it('are not asked for again within the pause when a token names an unknown one', async () => {
    const { verify, sign, server } = await anIssuer();
    await verify(await sign());

    for (let i = 0; i < 3; i += 1) {
      const token = await sign({}, { kid: `unknown-${i}` });
      await expect(verify(token)).rejects.toMatchObject(unauthenticated);
    }

    expect(server.requests()).toBe(1);
  });

  it.each([
    ['fails', 500],
    ['hangs', 0],
  ])(
    'cost one attempt a minute when the key server %s after they have expired',
    async (_how, status) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const { verify, sign, server, clock } = await anIssuer();
      const token = await sign({ exp: Math.floor(clock.now() / 1_000) + 3_600 });
      await verify(token);
      vi.setSystemTime(Date.now() + 11 * 60_000);
      server.answerWith(status);

      for (let i = 0; i < 5; i += 1) await expect(verify(token)).resolves.toBeDefined();
      const inFirstMinute = server.requests();
      clock.advance(60_000);
      await verify(token);
      server.answerWith(200);
      clock.advance(60_000);
      for (let i = 0; i < 5; i += 1) await verify(token);

      expect([inFirstMinute, server.requests()]).toEqual([2, 4]);
    },
  );

  it('are asked for once within the pause by tokens with unknown keys, and not after a failure', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { verify, sign, server } = await anIssuer();
    await verify(await sign());
    const unknown = async (kid: string) =>
      expect(verify(await sign({}, { kid }))).rejects.toMatchObject(unauthenticated);
    vi.setSystemTime(Date.now() + 31_000);
    for (const kid of ['a', 'b', 'c']) await unknown(kid);
    const inFirstPause = server.requests();
    server.answerWith(500);
    vi.setSystemTime(Date.now() + 31_000);

    for (const kid of ['a', 'b', 'c']) await unknown(kid);

    expect([inFirstPause, server.requests()]).toEqual([2, 3]);
  });

  it.each([true, false])(
    'that were never known cost one attempt in 5 s (by discovery: %s)',
    async (discovery) => {
      const { verify, sign, server, clock } = await anIssuer({ discovery });
      server.answerWith(500);
      const token = await sign();
      const attempts = () => server.requests() + server.discoveries();

      for (let i = 0; i < 5; i += 1)
        await expect(verify(token)).rejects.toMatchObject(keysUnavailable);
      const atFirst = attempts();
      clock.advance(5_000);
      await expect(verify(token)).rejects.toMatchObject(keysUnavailable);

      expect([atFirst, attempts()]).toEqual([1, 2]);
    },
  );

  it('of several issuers are kept apart', async () => {
    const first = await anIssuer();
    const second = await startJwksServer({ keys: [otherJwk] });
    servers.push(second);
    const issuers = [
      { issuer: first.server.issuer, audience: AUDIENCE, jwksUri: first.server.jwksUri },
      { issuer: second.issuer, audience: AUDIENCE, jwksUri: second.jwksUri },
    ];
    const { security } = loadConfig({ security: { issuers } }, { stage: 'local' });
    const verify = createTokenVerifier(security, first.clock);
    const { sign } = first;

    await expect(verify(await sign())).resolves.toBeDefined();
    await expect(
      verify(await sign({ iss: second.issuer }, { kid: 'two' }, otherPair.privateKey)),
    ).resolves.toBeDefined();
    await expect(verify(await sign({ iss: second.issuer }))).rejects.toMatchObject(unauthenticated);
  });

  it('are not taken from a discovery document of somebody else', async () => {
    const { verify, sign, server } = await anIssuer({ discovery: true });
    server.discoverAs('https://other.example.com');

    await expect(verify(await sign())).rejects.toMatchObject(keysUnavailable);
  });

  it('are not fetched inside of a network that only the discovery document names', async () => {
    const elsewhere = await startJwksServer({ keys: [publicJwk] });
    servers.push(elsewhere);
    const { verify, sign, server } = await anIssuer({ discovery: true });
    server.keysAt(elsewhere.jwksUri);

    await expect(verify(await sign())).rejects.toMatchObject(keysUnavailable);
    expect(elsewhere.requests()).toBe(0);
  });
});
