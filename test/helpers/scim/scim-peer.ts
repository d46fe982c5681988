import { join } from 'node:path';
import { projectRoot } from '../../../bin/dev/paths.ts';
import { startOwnServer } from '../../../bin/dev/start/own-server.ts';
import type { PeerDirectory } from '../../tools/identity-peers/demo-people.ts';

export interface PeerOptions extends Partial<PeerDirectory> {
  /** Express 5 makes the routers ignore paging. */
  readonly express?: 4 | 5;
  readonly maxResults?: number;
  /** So many people of a company, where no users are given; default 40. */
  readonly people?: number;
  /** When its resources were changed last; default: now. */
  readonly since?: string;
  /** Default: any free one. */
  readonly port?: number;
}

/** A service provider of another project in a process of its own; its admin account is admin:secret. */
export async function startScimPeer({
  express = 4,
  maxResults = 200,
  people = 40,
  port = 0,
  since,
  ...directory
}: PeerOptions) {
  const script = join(projectRoot, 'test/tools/identity-peers/serve-directory.ts');
  const { url, stop } = await startOwnServer(script, {
    EXPRESS: String(express),
    ...(directory.users && { DIRECTORY: JSON.stringify(directory) }),
    ...(since !== undefined && { SINCE: since }),
    MAX_RESULTS: String(maxResults),
    PEOPLE: String(people),
    PORT: String(port),
  });
  return { baseUrl: url, stop };
}
