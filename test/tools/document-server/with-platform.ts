import { randomBytes } from 'node:crypto';
import { type DocumentServer, startDocumentServer } from './server.ts';

/** A stand-in for a platform under test, and what the platform is told of it. */
export interface DocumentServerWithPlatform {
  readonly server: DocumentServer;
  readonly context: Readonly<Record<string, string>>;
}

/**
 * Starts the stand-in for a platform that is deployed afterwards.
 * @param port of the platform's own address
 */
export async function documentServerFor(port: number): Promise<DocumentServerWithPlatform> {
  const secret = randomBytes(32).toString('base64url');
  const server = await startDocumentServer({ secret, saveDelayMs: 500 });
  return {
    server,
    context: {
      'svc.docs.enabled': 'true',
      'svc.docs.document-server-url': server.url,
      'svc.docs.secret': secret,
      'svc.docs.internal-base-url': `http://127.0.0.1:${port}`,
    },
  };
}
