import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A user or group as SCIM has it. */
export interface PeerResource {
  readonly id: string;
  readonly [name: string]: unknown;
}

export interface PeerOptions {
  /** Express 5 makes the routers ignore paging. */
  readonly express?: 4 | 5;
  readonly users?: readonly PeerResource[];
  readonly groups?: readonly PeerResource[];
  readonly maxResults?: number;
}

/** A service provider of another project in a process of its own; its admin account is admin:secret. */
export async function startScimPeer({ express = 4, users, groups, maxResults = 200 }: PeerOptions) {
  const file = fileURLToPath(new URL('peer-process.ts', import.meta.url));
  const child = fork(file, {
    env: {
      ...process.env,
      EXPRESS: String(express),
      DIRECTORY: JSON.stringify({ users, groups }),
      MAX_RESULTS: String(maxResults),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--no-warnings'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    baseUrl: `http://127.0.0.1:${port}/scim/v2`,
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
