import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import type { ApiClient } from '../../cloud/api-client.ts';
import { cloud } from '../../cloud/cloud.ts';
import { logInAtPages } from '../openid/spawn-openid.ts';
import { directory } from './directory.ts';

export const SOURCES = '/api/v1/identity_source';
export const PROVIDERS = '/api/v1/identity_provider';
/** The provider sends people back to this one. */
const PROVIDER = 'demo';
const END_MS = 60_000;

/** A source of the directory. */
export interface JourneySource {
  readonly id: string;
  readonly code: string;
  readonly eventSecret: string;
}

interface HistoryRow {
  readonly id: string;
  readonly batch: string;
  readonly objectType: string;
  readonly status: string;
}

/** What a journey does with a source, again and again. */
export class IdentityJourney {
  readonly api: ApiClient;
  readonly source: JourneySource;

  private constructor(api: ApiClient, source: JourneySource) {
    this.api = api;
    this.source = source;
  }

  /** Makes the directory a source, which is not enabled. */
  static async begin(
    api: ApiClient,
    baseUrl: string = directory.address,
  ): Promise<IdentityJourney> {
    const { body } = await api.post(`${SOURCES}/create`, {
      body: {
        ...{ name: 'Directory', provider: 'EXTSRC' },
        basicConfig: { baseUrl, ...directory.login, incrementalEnabled: true },
        strategyConfig: { user: { enabled: true, onMissing: 'DELETE' } },
        jobConfig: { mode: 'period', value: '6' },
      },
      headers: { 'idempotency-key': randomUUID() },
    });
    return new IdentityJourney(api, body);
  }

  async start(body: object = {}): Promise<string> {
    const answer = await this.api.post(`${SOURCES}/sync/execute/${this.source.id}`, { body });
    expect(answer.status, answer.text).toBe(202);
    return answer.body.batch;
  }

  /** Both histories of a run that has ended, that of users first. */
  async ended(batch: string): Promise<readonly HistoryRow[]> {
    let rows: readonly HistoryRow[] = [];
    const hasEnded = async () => {
      rows = (await this.histories()).filter((row) => row.batch === batch);
      return rows.length === 2 && rows.every(({ status }) => status !== 'PENDING');
    };
    await expect.poll(hasEnded, { timeout: END_MS, interval: 200 }).toBe(true);
    return rows.toSorted((one) => (one.objectType === 'USER' ? -1 : 1));
  }

  async run(body: object = {}): Promise<readonly HistoryRow[]> {
    return this.ended(await this.start(body));
  }

  async histories(query: Readonly<Record<string, string>> = {}): Promise<readonly HistoryRow[]> {
    const { id: identitySourceId } = this.source;
    const asked = { query: { identitySourceId, size: 100, ...query } };
    return (await this.api.get(`${SOURCES}/sync/history_list`, asked)).body.content;
  }

  async records(syncHistoryId: string, query: Readonly<Record<string, string>>) {
    const asked = { query: { syncHistoryId, size: 100, ...query } };
    return (await this.api.get(`${SOURCES}/sync/record_list`, asked)).body.content;
  }

  async person(q: string) {
    return (await this.api.get('/api/v1/users', { query: { q } })).body.content[0];
  }

  /** Tells of a user, and waits until that was looked at. */
  async follow(id: string, type: string, objectId: string): Promise<void> {
    const { status, body } = await this.tell(id, JSON.stringify({ type, objectId }));
    expect(status).toBe(202);
    const query = { identitySourceId: this.source.id };
    const applied = async () => {
      const list = await this.api.get(`${SOURCES}/event/record_list`, { query });
      const events = list.body.content as { readonly id: string; readonly status: string }[];
      return events.find((event) => event.id === body.eventId)?.status;
    };
    await expect.poll(applied, { timeout: END_MS, interval: 200 }).toBe('SUCCESS');
  }

  /** An event as the directory signs it. */
  async tell(id: string, body: string, signedBody = body) {
    const { code, eventSecret } = this.source;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const key = Buffer.from(eventSecret.slice('whsec_'.length), 'base64');
    const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${signedBody}`);
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp },
      'webhook-signature': `v1,${signed.digest('base64')}`,
    };
    const path = `/api/v1/synchronizer/event_receive/${code}`;
    return this.api.post(path, { body, headers, token: null });
  }

  /** Makes a provider for the people of the source. @returns its id */
  async offerLogin(): Promise<string> {
    const { body } = await this.api.post(`${PROVIDERS}/create`, {
      body: { ...this.#login(inject('identityPeers').openid), code: PROVIDER, type: 'OIDC' },
    });
    await this.api.put(`${PROVIDERS}/enable/${body.id}`);
    return body.id;
  }

  /** Says that the provider is another one. */
  async moveLogin(issuer: string) {
    const { content } = (await this.api.get(`${PROVIDERS}/list`)).body;
    const body = { id: content[0].id, ...this.#login(issuer) };
    return this.api.put(`${PROVIDERS}/update`, { body });
  }

  #login(issuer: string) {
    const config = { issuer, clientId: 'svc-cloud', clientSecret: 'svc-cloud-secret' };
    return { name: 'Staff', autoCreate: true, identitySourceId: this.source.id, config };
  }
}

/** Logs a person in, in a browser, with PKCE on both sides. @returns the answer with the token */
export async function logIn(api: ApiClient, userName: string) {
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const query = new URLSearchParams({ returnTo: `${cloud.baseUrl}/done`, codeChallenge });
  const begun = await visit(`${cloud.baseUrl}${PROVIDERS}/${PROVIDER}/login?${query}`);
  const cookie = begun.cookies[0]?.split(';')[0] ?? '';
  const { to } = await visit(await logInAtPages(begun.to, userName), { cookie });
  const code = new URL(to).searchParams.get('code');
  return api.post(`${PROVIDERS}/token`, { body: { code, codeVerifier }, token: null });
}

/** Where an address sends a browser to. */
async function visit(url: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(url, { redirect: 'manual', headers });
  const to = answer.headers.get('location');
  if (to === null) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
  return { to, cookies: answer.headers.getSetCookie() };
}
