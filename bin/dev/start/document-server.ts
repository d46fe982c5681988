import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../local-cloud/free-port.ts';
import { localFolder, projectRoot } from '../paths.ts';
import { type OwnServer, startOwnServer } from './own-server.ts';

/** A running stand-in of the document server. */
export interface StandIn extends OwnServer {
  readonly secret: string;
}

const CONFIGURED = 'svc.docs.document-server-url';
const SCRIPT = join(projectRoot, 'test/tools/document-server/serve.ts');
const SECRET_FILE = join(localFolder, 'document-server-secret');
const FIRST_PORT = 3_080;

/** Whether a run has a document server of its own: `-c svc.docs.document-server-url=...`, or in cdk.json. */
export function hasDocumentServer(
  context: Readonly<Record<string, string>>,
  cdkJson = join(projectRoot, 'cdk.json'),
): boolean {
  if (context['svc.docs.enabled'] === 'false' || CONFIGURED in context) return true;
  const { svc = {} } = (
    JSON.parse(readFileSync(cdkJson, 'utf8')) as { context: { svc?: { docs?: object } } }
  ).context;
  return Object.hasOwn(svc.docs ?? {}, 'document-server-url');
}

/** Starts the stand-in of the document server as a process of its own, which ends with this one. */
export async function startStandIn(): Promise<StandIn> {
  const secret = ensureSecret();
  const port = String(await freePort(FIRST_PORT));
  const environment = { DOCUMENT_SERVER_SECRET: secret };
  return { ...(await startOwnServer(SCRIPT, environment, ['--port', port])), secret };
}

/** Properties of the platform for the stand-in. @param port of the platform's own address */
export const standInContext = (
  { url, secret }: StandIn,
  port: number,
): Readonly<Record<string, string>> => ({
  'svc.docs.enabled': 'true',
  [CONFIGURED]: url,
  'svc.docs.secret': secret,
  'svc.docs.internal-base-url': `http://127.0.0.1:${port}`,
  'svc.web.public-url': `http://127.0.0.1:${port}`,
});

/** Link to a page of the stand-in that opens a document. @param configUrl address of the editor's configuration */
export const demoLink = ({ url }: StandIn, configUrl: string, token: string): string =>
  `${url}/demo#${new URLSearchParams({ config: configUrl, token })}`;

/** The secret stays the same, so that a restart changes nothing of the stack. */
function ensureSecret(): string {
  try {
    return readFileSync(SECRET_FILE, 'utf8');
  } catch {
    const secret = randomBytes(32).toString('base64url');
    mkdirSync(dirname(SECRET_FILE), { recursive: true });
    writeFileSync(SECRET_FILE, secret, { mode: 0o600 });
    return secret;
  }
}
