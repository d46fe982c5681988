import type { HttpAnswer, HttpRequest } from '../../../../shared/http-client/contract.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import type { Capabilities } from '../provider.ts';
import { SourceError } from '../source-error.ts';
import type { ScimConfig, ScimConnection } from './connection.ts';
import { readJson, tryJson } from './read-json.ts';

/** Sends a request without credentials. */
export type Send = (url: URL, request: HttpRequest) => Promise<HttpAnswer>;

/** What the requests of a source carry. */
export interface Login {
  readonly authMode: Capabilities['authMode'];
  readonly authorization: string;
  /** Epoch ms; none: as long as the configuration. */
  readonly until?: number | undefined;
}

const WELL_KNOWN = ['oauth-authorization-server', 'openid-configuration'];
const DEFAULT_LIFE_S = 300;
const MARGIN_S = 30;
/** Errors of a token endpoint that says that it has no logins by password. @see RFC 6749, section 5.2 */
const NO_PASSWORD_GRANT = new Set([
  'unsupported_grant_type',
  'unauthorized_client',
  'invalid_client',
]);

/** Logs in at sources, and keeps what came of it in memory: by source and version of its configuration. */
export class Logins {
  readonly #known = new Map<string, Login>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async of(connection: ScimConnection, send: Send): Promise<Login> {
    const known = this.#known.get(connection.key);
    if (known && (known.until ?? Number.POSITIVE_INFINITY) > this.#clock.now()) return known;
    const login = await logIn(connection.config, send, this.#clock.now());
    this.#known.set(connection.key, login);
    return login;
  }

  /** Forgets a login. @returns whether another one may be accepted */
  forget({ key }: ScimConnection): boolean {
    const known = this.#known.get(key);
    this.#known.delete(key);
    return known?.until !== undefined;
  }
}

async function logIn(config: ScimConfig, send: Send, now: number): Promise<Login> {
  const { authMode, adminUsername, adminPassword } = config;
  if (authMode === 'bearer') return { authMode, authorization: `Bearer ${adminPassword}` };
  if (authMode === 'basic') return basic(config);
  const endpoint = await tokenEndpoint(config, send);
  if (!endpoint) {
    if (authMode === 'auto') return basic(config);
    throw new SourceError('LOGIN_FAILED', 'The source names no token endpoint');
  }
  if (authMode === 'client_credentials') {
    const form = { grant_type: 'client_credentials' };
    const client = { id: adminUsername, secret: adminPassword };
    return accepted(await ask(endpoint, form, client, send), config, now, authMode);
  }
  const form = { grant_type: 'password', username: adminUsername, password: adminPassword };
  const answer = await ask(
    endpoint,
    form,
    { id: config.clientId, secret: config.clientSecret },
    send,
  );
  const isNotOffered =
    (answer.status === 400 || answer.status === 401 || answer.status === 404) &&
    (answer.status === 404 || NO_PASSWORD_GRANT.has(String(tryJson(answer).error)));
  if (authMode === 'auto' && config.tokenUrl === undefined && isNotOffered) return basic(config);
  return accepted(answer, config, now, 'token');
}

const basic = ({ adminUsername, adminPassword }: ScimConfig): Login => ({
  authMode: 'basic',
  authorization: `Basic ${Buffer.from(`${adminUsername}:${adminPassword}`).toString('base64')}`,
});

/**
 * A configured endpoint may have any origin; one that the source names must be of its own origin, or it would be
 * handed the password.
 */
async function tokenEndpoint(config: ScimConfig, send: Send): Promise<URL | undefined> {
  if (config.tokenUrl !== undefined) return new URL(config.tokenUrl);
  const { origin } = new URL(config.baseUrl);
  for (const name of WELL_KNOWN) {
    const answer = await send(new URL(`${origin}/.well-known/${name}`), {
      headers: { accept: 'application/json' },
    });
    const endpoint = answer.status === 200 ? tryJson(answer).token_endpoint : undefined;
    if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) continue;
    if (new URL(endpoint).origin === origin) return new URL(endpoint);
    throw new SourceError('ADDRESS_REFUSED', 'The source names a token endpoint of another origin');
  }
  return undefined;
}

function ask(
  endpoint: URL,
  form: Readonly<Record<string, string>>,
  client: { readonly id?: string | undefined; readonly secret?: string | undefined },
  send: Send,
): Promise<HttpAnswer> {
  const body = new URLSearchParams(form);
  const { id, secret } = client;
  if (id !== undefined && secret === undefined) body.set('client_id', id);
  const encoded = [id, secret].map((each) => encodeURIComponent(each ?? '')).join(':');
  return send(endpoint, {
    method: 'POST',
    body: body.toString(),
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(secret !== undefined && {
        authorization: `Basic ${Buffer.from(encoded).toString('base64')}`,
      }),
    },
  });
}

function accepted(
  answer: HttpAnswer,
  { adminTokenTtlMinutes }: ScimConfig,
  now: number,
  authMode: Login['authMode'],
): Login {
  const { status } = answer;
  if (status !== 200) {
    throw new SourceError('LOGIN_FAILED', 'The source refuses the admin account', { status });
  }
  const { access_token: token, expires_in: life } = readJson(answer);
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new SourceError('BAD_ANSWER', 'The token endpoint answers without a token', { status });
  }
  const told = Number(life);
  const seconds = Math.min(
    Math.max(1, (told > 0 ? told : DEFAULT_LIFE_S) - MARGIN_S),
    adminTokenTtlMinutes * 60,
  );
  return { authMode, authorization: `Bearer ${token}`, until: now + seconds * 1_000 };
}
