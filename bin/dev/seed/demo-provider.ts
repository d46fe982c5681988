import { type IdentityCall, RefusedCall } from './identity-call.ts';

const PROVIDERS = '/api/v1/identity_provider';
/** Page that logins of the demo end at. */
export const SIGNED_IN = `${PROVIDERS}/signed-in`;
/** Code of the demo's OpenID provider; part of the address that it sends people back to. */
export const DEMO_PROVIDER = 'demo';

interface Row {
  readonly id: string;
  readonly code: string;
  readonly enabled: boolean;
}

/** What a login through the demo's provider needs. */
export interface DemoLogin {
  /** Of the provider, which may have changed since the last start. */
  readonly issuer: string;
  /** Source whose people log in. */
  readonly sourceId: string;
  /** Where people are sent to after their login. */
  readonly returnTo: string;
}

/** Makes the demo's OpenID provider one that the people of the demo directory log in through. @returns the path of a login */
export async function ensureDemoProvider(
  call: IdentityCall,
  { issuer, sourceId, returnTo }: DemoLogin,
): Promise<string> {
  const { content } = await call<{ readonly content: readonly Row[] }>('GET', `${PROVIDERS}/list`);
  const known = content.find(({ code }) => code === DEMO_PROVIDER);
  const body = {
    ...{ name: 'Demo login', identitySourceId: sourceId, autoCreate: true },
    config: { issuer, clientId: 'svc-cloud', clientSecret: 'svc-cloud-secret' },
  };
  const { id } = (known && (await updated(call, known, body))) ?? (await created(call, body));
  await call('PUT', `${PROVIDERS}/enable/${id}`);
  return `${PROVIDERS}/${DEMO_PROVIDER}/login?${new URLSearchParams({ returnTo })}`;
}

const created = (call: IdentityCall, body: object): Promise<Pick<Row, 'id'>> =>
  call<Row>('POST', `${PROVIDERS}/create`, { ...body, code: DEMO_PROVIDER });

/** A provider whose people are linked has another address: it is another provider then. */
async function updated(
  call: IdentityCall,
  { id }: Row,
  body: object,
): Promise<Pick<Row, 'id'> | undefined> {
  try {
    await call('PUT', `${PROVIDERS}/update`, { id, ...body });
    return { id };
  } catch (error) {
    if (!(error instanceof RefusedCall) || error.status !== 409) throw error;
    await call('PUT', `${PROVIDERS}/disable/${id}`);
    await call('DELETE', `${PROVIDERS}/delete/${id}`);
    return undefined;
  }
}
