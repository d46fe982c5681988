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
    this.requests += 1;
    return this.#client.page(request);
  }

  override count(kind: 'Users' | 'Groups', filter?: string) {
    this.requests += 1;
    return this.#client.count(kind, filter);
  }
}

const AUTHORIZATION = `Basic ${Buffer.from('admin:secret').toString('base64')}`;

/** The least that reading a peer can cost: every page as JSON, one after the other. */
async function walkPeer(baseUrl: string): Promise<number> {
  const pageOf = async (kind: string, startIndex: number) => {
    const url = `${baseUrl}/${kind}?startIndex=${startIndex}&count=${PAGE}&sortBy=id`;
    return (await fetch(url, { headers: { authorization: AUTHORIZATION } })).json() as Promise<{
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

async function aRunnerOf(baseUrl: string) {
  const directory = new PeerSource(baseUrl);
  const world = await syncWorld(aSource(), { directory });
  const run = async (mode: 'FULL' | 'INCREMENTAL') => {
    const { user } = await world.byHand({ mode });
    if (user.status !== 'SUCCESS') throw new Error(`The run ends as ${user.status}`);
    return user;
  };
  return { directory, run };
}

/** Changes the first people of a peer. */
async function change(baseUrl: string, count: number, displayName: string): Promise<void> {
  const { Resources } = (await (
    await fetch(`${baseUrl}/Users?startIndex=1&count=${count}&sortBy=id`, {
      headers: { authorization: AUTHORIZATION },
    })
  ).json()) as { readonly Resources: readonly { readonly id: string }[] };
  for (const { id } of Resources) {
    const answer = await fetch(`${baseUrl}/Users/${id}`, {
      method: 'PATCH',
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/scim+json' },
      body: JSON.stringify({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'displayName', value: displayName }],
      }),
    });
    if (!answer.ok) throw new Error(`The peer answers ${answer.status}`);
  }
}

/** Times and requests of whole runs, and of runs that apply what one of a hundred people has changed, in turn. */
export async function changeTimes(people: number, rounds: number) {
  const since = '2026-01-05T08:00:00.000Z';
  const { baseUrl, stop } = await startScimPeer({ people, maxResults: PAGE, since });
  try {
    const { directory, run } = await aRunnerOf(baseUrl);
    const measured = async (mode: 'FULL' | 'INCREMENTAL') => {
      const before = directory.requests;
      let updated = 0;
      const ms = await millisecondsOf(async () => {
        updated = (await run(mode)).counts.updated;
      });
      return { ms, requests: directory.requests - before, updated };
    };
    await run('FULL');
    const full = [];
    const changed = [];
    for (let round = 0; round < rounds; round += 1) {
      full.push(await measured('FULL'));
      await change(baseUrl, people / 100, `Round ${round}`);
      const one = await measured('INCREMENTAL');
      if (one.updated !== people / 100) throw new Error(`${one.updated} people are changed`);
      changed.push(one);
    }
    return { full, changed };
  } finally {
    await stop();
  }
}

/** Times of whole runs that find nothing to do, and of walks of the same pages, in turn (ms). */
export async function peerTimes(people: number, rounds: number) {
  const { baseUrl, stop } = await startScimPeer({ people, maxResults: PAGE });
  try {
    const { run } = await aRunnerOf(baseUrl);
    await run('FULL');
    const walks: number[] = [];
    const runs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      walks.push(await millisecondsOf(() => walkPeer(baseUrl)));
      runs.push(await millisecondsOf(() => run('FULL')));
    }
    return { walks, runs };
  } finally {
    await stop();
  }
}
