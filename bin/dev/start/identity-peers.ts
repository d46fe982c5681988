import { join } from 'node:path';
import { freePort } from '../local-cloud/free-port.ts';
import { projectRoot } from '../paths.ts';
import { DEMO_PROVIDER } from '../seed/demo-provider.ts';
import { type OwnServer, startOwnServer } from './own-server.ts';

/** A directory of people and an OpenID provider, each a process of its own. */
export interface IdentityPeers {
  readonly directory: OwnServer;
  readonly openid: OwnServer;
  stop(): Promise<void>;
}

const FOLDER = join(projectRoot, 'test/tools/identity-peers');
const FIRST_PORT = 3_090;

/** Whether a run decides itself about the identity module: `-c svc.idp.…=…`. */
export const decidesIdentity = (context: Readonly<Record<string, string>>): boolean =>
  Object.keys(context).some((name) => name.startsWith('svc.idp.'));

/** Starts both on free ports. @param port of the platform's own address */
export async function startIdentityPeers(
  port: number,
  firstPort = FIRST_PORT,
): Promise<IdentityPeers> {
  const directoryPort = await freePort(firstPort);
  const openidPort = await freePort(directoryPort + 1);
  const callback = `http://127.0.0.1:${port}/api/v1/identity_provider/${DEMO_PROVIDER}/callback`;
  const [directory, openid] = await Promise.all([
    startOwnServer(join(FOLDER, 'serve-directory.ts'), { PORT: String(directoryPort) }),
    startOwnServer(join(FOLDER, 'serve-openid.ts'), {
      ...{ PORT: String(openidPort), REDIRECT_URIS: callback },
    }),
  ]);
  return {
    ...{ directory, openid },
    stop: async () => void (await Promise.all([directory.stop(), openid.stop()])),
  };
}

/** Properties of the platform for these peers. @param port of the platform's own address */
export const identityContext = (
  { directory, openid }: IdentityPeers,
  port: number,
): Readonly<Record<string, string>> => ({
  'svc.idp.enabled': 'true',
  'svc.idp.allow-insecure-hosts': [directory, openid].map(({ url }) => new URL(url).host).join(),
  'svc.idp.return-origins': `http://127.0.0.1:${port}`,
  'svc.web.public-url': `http://127.0.0.1:${port}`,
  // `npm run mail` shows what would be sent.
  'svc.idp.mail-from': 'people@svc-cloud.example',
  'svc.idp.alert-to': 'operators@svc-cloud.example',
});
