import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** What the next token says over what is right. */
export interface Forgery {
  readonly claims?: JWTPayload;
  readonly alg?: 'RS256' | 'HS256' | 'none';
  /** Signs with a key that the provider does not have. */
  readonly foreignKey?: boolean;
  /** What the provider says of itself. */
  readonly metadata?: object;
  /** Its keys, over the right ones. */
  readonly keys?: readonly object[];
  /** What it says of the person at its user info; none: it has no such address. */
  readonly person?: object;
  /** The whole answer to a code. */
  readonly answer?: ProviderAnswer;
}

interface ProviderAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export type FakeProvider = Awaited<ReturnType<typeof fakeProvider>>;

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
    const { pathname } = new URL(request.url ?? '', issuer());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const { status, type, text } = await answerTo(pathname, form);
    response.writeHead(status, { 'content-type': type, connection: 'close' });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = () => `http://${host}`;
  const json = (body: object, status = 200) => ({
    ...{ status, type: 'application/json', text: JSON.stringify(body) },
  });
  async function answerTo(path: string, form: URLSearchParams): Promise<ProviderAnswer> {
    if (path.endsWith('/openid-configuration')) return json(metadata());
    if (path === '/jwks') return json({ keys: forgery.keys ?? [jwk] });
    if (path === '/person') return json(forgery.person ?? {});
    forms.push(form);
    if (forgery.answer) return forgery.answer;
    const nonce = nonces.get(form.get('code') ?? '');
    nonces.delete(form.get('code') ?? '');
    if (nonce === undefined) return json({ error: 'invalid_grant' }, 400);
    const access = { access_token: 'canary-access-token', token_type: 'Bearer' };
    return json({ id_token: await idToken(nonce), ...access });
  }
  const metadata = () => ({
    issuer: issuer(),
    authorization_endpoint: `${issuer()}/auth`,
    token_endpoint: `${issuer()}/token`,
    jwks_uri: `${issuer()}/jwks`,
    authorization_response_iss_parameter_supported: true,
    ...(forgery.person && { userinfo_endpoint: `${issuer()}/person` }),
    ...forgery.metadata,
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
