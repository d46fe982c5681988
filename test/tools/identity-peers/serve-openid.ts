import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { demoPeople } from './demo-people.ts';

/*
 * An OpenID provider made of other people's code (oidc-provider), in a process of its own. The people of the demo
 * directory log in with their user name and any password; the client is svc-cloud with the secret svc-cloud-secret,
 * and must use PKCE. REDIRECT_URIS names where it may send people to, separated by commas.
 */
const { PORT = '0', REDIRECT_URIS = '' } = process.env;
// It warns of what is meant here: nothing is kept, and any password is right.
console.warn = () => undefined;

interface Person {
  readonly userName: string;
  readonly displayName: string;
  readonly emails: readonly { readonly value: string }[];
  readonly name: { readonly givenName: string; readonly familyName: string };
}

const people = new Map(
  (demoPeople().users as unknown as readonly Person[]).map((each) => [each.userName, each]),
);

function claimsOf({ userName, displayName, emails, name }: Person) {
  return {
    ...{ sub: userName, preferred_username: userName, name: displayName },
    ...{ given_name: name.givenName, family_name: name.familyName },
    ...{ email: emails[0]?.value, email_verified: true },
  };
}

/** The port is a part of the issuer: it must be known before. */
async function portOf(wanted: number): Promise<number> {
  if (wanted > 0) return wanted;
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const port = await portOf(Number(PORT));
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      ...{ client_id: 'svc-cloud', client_secret: 'svc-cloud-secret' },
      redirect_uris: REDIRECT_URIS.split(',').filter((uri) => uri !== ''),
    },
  ],
  claims: {
    profile: ['name', 'given_name', 'family_name', 'preferred_username'],
    email: ['email', 'email_verified'],
  },
  // As larger providers do: everything is in the token.
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ['of a provider that keeps nothing'] },
  features: { devInteractions: { enabled: true } },
  findAccount: (_context, id) => {
    const person = people.get(id);
    return person && { accountId: id, claims: () => claimsOf(person) };
  },
  // Who enters another name gets here.
  renderError(context, { error, error_description: reason }) {
    context.type = 'text';
    context.body = `Nobody is signed in (${error}: ${reason}).\nPeople: ${[...people.keys()].join(', ')}; any password. Go back to try again.\n`;
  },
  // Nobody is asked for a consent.
  async loadExistingGrant(context) {
    const { client, session, params } = context.oidc;
    const grant = new context.oidc.provider.Grant({
      clientId: client?.clientId,
      accountId: session?.accountId,
    });
    grant.addOIDCScope(String(params?.scope ?? 'openid'));
    await grant.save();
    return grant;
  },
});
provider.listen(port, '127.0.0.1', () => console.log(JSON.stringify({ url: issuer })));
// Ends with whoever has started it.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
