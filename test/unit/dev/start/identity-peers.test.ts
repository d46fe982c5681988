import { afterEach, describe, expect, it } from 'vitest';
import {
  decidesIdentity,
  type IdentityPeers,
  identityContext,
  startIdentityPeers,
} from '../../../../bin/dev/start/identity-peers.ts';
import { parseStartOptions } from '../../../../bin/dev/terminal/arguments.ts';

let peers: IdentityPeers | undefined;
afterEach(() => peers?.stop());

describe('the directory and the OpenID provider of npm start', () => {
  it('are left out by --no-demo, and where the run decides about identity itself', () => {
    const context = { 'svc.idp.enabled': 'false' };

    expect(parseStartOptions(['--no-demo', '-c', 'svc.idp.enabled=false'])).toEqual({
      ...{ context, hasDemo: false },
    });
    expect(parseStartOptions([])).toEqual({ context: {}, hasDemo: true });
    expect([decidesIdentity(context), decidesIdentity({ stage: 'local' })]).toEqual([true, false]);
  });

  it('answer, and are the only hosts that are called over plain http', async () => {
    peers = await startIdentityPeers(3_000);
    const { directory, openid } = peers;
    const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;

    const users = await fetch(`${directory.url}/Users?count=1`, { headers: { authorization } });
    const found = await fetch(`${openid.url}/.well-known/openid-configuration`);

    expect(await users.json()).toMatchObject({ totalResults: 40, itemsPerPage: 1 });
    expect(await found.json()).toMatchObject({ issuer: openid.url });
    expect(identityContext(peers, 3_000)).toMatchObject({
      'svc.idp.enabled': 'true',
      'svc.idp.allow-insecure-hosts': `${new URL(directory.url).host},${new URL(openid.url).host}`,
    });
  });
});
