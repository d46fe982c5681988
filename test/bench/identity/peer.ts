import type { ListRequest } from '../../../functions/identity/providers/provider.ts';
import { Logins } from '../../../functions/identity/providers/scim/login.ts';
import { ScimClient } from '../../../functions/identity/providers/scim/scim-client.ts';
import { createHttpClient } from '../../../shared/http-client/http-client.ts';
import { systemClock } from '../../../shared/primitives/clock.ts';
import { MemorySource } from '../../helpers/identity/memory-source.ts';
import { aSource, syncWorld } from '../../helpers/identity/sync-world.ts';
import { startScimPeer } from '../../helpers/scim/scim-peer.ts';
import { PAGE } from './reading.ts';

/** A source that asks a service provider of another project. */
class PeerSource extends MemorySource {
  readonly #client: ScimClient;

  constructor(baseUrl: string) {
    super();
    const login = { adminUsername: 'admin', adminPassword: 'secret', authMode: 'basic' as const };
    this.#client = new ScimClient(
      { key: baseUrl, config: { ...login, baseUrl, adminTokenTtlMinutes: 30 } },
      {
        ...{ http: createHttpClient({ namedOrigins: [baseUrl] }), clock: systemClock },
        ...{ pause: async () => undefined, requestsPerSecond: 100_000 },
      },
      new Logins(systemClock),
    );
  }

  override page(request: ListRequest) {
    return this.#client.page(request);
  }
}

/** The least that reading a peer can cost: every page as JSON, one after the other. */
async function walkPeer(baseUrl: string): Promise<number> {
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  const pageOf = async (kind: string, startIndex: number) => {
    const url = `${baseUrl}/${kind}?startIndex=${startIndex}&count=${PAGE}&sortBy=id`;
    return (await fetch(url, { headers: { authorization } })).json() as Promise<{
      readonly Resources: readonly unknown[];
      readonly totalResults: number;
    }>;
  };
  await pageOf('Groups', 1);
  let read = 0;
  for (;;) {
    const { Resources, totalResults } = await pageOf('Users', read + 1);
    read += Resources.length;
    if (read >= totalResults) return read;
  }
}

const millisecondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

/** Times of whole runs that find nothing to do, and of walks of the same pages, in turn (ms). */
export async function peerTimes(people: number, rounds: number) {
  const { baseUrl, stop } = await startScimPeer({ people, maxResults: PAGE });
  try {
    const world = await syncWorld(aSource(), { directory: new PeerSource(baseUrl) });
    const run = async () => {
      const { user } = await world.byHand({ mode: 'FULL' });
      if (user.status !== 'SUCCESS') throw new Error(`The run ends as ${user.status}`);
    };
    await run();
    const walks: number[] = [];
    const runs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      walks.push(await millisecondsOf(() => walkPeer(baseUrl)));
      runs.push(await millisecondsOf(run));
    }
    return { walks, runs };
  } finally {
    await stop();
  }
}
