import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** What the next token says over what is right. */
export interface Forgery {
  readonly claims?: JWTPayload;
  readonly alg?: 'RS256' | 'HS256' | 'none';
  /** Signs with a key that the provider does not have. */
  readonly foreignKey?: boolean;
}

/** An OpenID provider in which anybody is logged in at once, and that lies as a test asks for. */
export async function fakeProvider(claimsOf: () => JWTPayload) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const foreign = (await generateKeyPair('RS256')).privateKey;
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, string>();
  const forms: URLSearchParams[] = [];
  let forgery: Forgery = {};
  let now = () => Date.now();
  const server = createServer(async (request, response) => {
    const send = (body: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? '', issuer());
    if (pathname.endsWith('/openid-configuration')) return send(metadata());
    if (pathname === '/jwks') return send({ keys: [jwk] });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    forms.push(form);
    const nonce = nonces.get(form.get('code') ?? '');
    nonces.delete(form.get('code') ?? '');
    if (nonce === undefined) return send({ error: 'invalid_grant' }, 400);
    return send({ id_token: await idToken(nonce), token_type: 'Bearer' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = () => `http://${host}`;
  const metadata = () => ({
    issuer: issuer(),
    authorization_endpoint: `${issuer()}/auth`,
    token_endpoint: `${issuer()}/token`,
    jwks_uri: `${issuer()}/jwks`,
    authorization_response_iss_parameter_supported: true,
  });
  async function idToken(nonce: string): Promise<string> {
    const seconds = Math.floor(now() / 1_000);
    const alg = forgery.alg ?? 'RS256';
    const claims = {
      ...{ iss: issuer(), aud: 'svc-cloud', nonce, iat: seconds, exp: seconds + 300 },
      ...{ ...claimsOf(), ...forgery.claims },
    };
    if (alg === 'none') {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${part({ alg })}.${part(claims)}.`;
    }
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    const key = forgery.foreignKey ? foreign : privateKey;
    const signing = new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' });
    return signing.sign(alg === 'HS256' ? secret : key);
  }
  return {
    ...{ host, issuer, forms },
    /** What a browser is sent back with after `address`. */
    authorise(address: string): URLSearchParams {
      const asked = new URL(address).searchParams;
      const code = `code-${nonces.size}-${Math.floor(performance.now() * 1_000)}`;
      nonces.set(code, asked.get('nonce') ?? '');
      return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer() });
    },
    forge(next: Forgery) {
      forgery = next;
    },
    at(clock: () => number) {
      now = clock;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
