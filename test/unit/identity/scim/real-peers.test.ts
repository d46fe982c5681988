import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGroups } from '../../../../functions/identity/domain/directory/group.ts';
import { buildTree } from '../../../../functions/identity/domain/directory/tree.ts';
import { Logins } from '../../../../functions/identity/providers/scim/login.ts';
import { ScimClient } from '../../../../functions/identity/providers/scim/scim-client.ts';
import { createHttpClient } from '../../../../shared/http-client/http-client.ts';
import { systemClock } from '../../../../shared/primitives/clock.ts';
import { startScimPeer } from '../../../helpers/scim/scim-peer.ts';

type Peer = Awaited<ReturnType<typeof startScimPeer>>;
const users = Array.from({ length: 25 }, (_, index) => ({
  id: `u-${String(index).padStart(2, '0')}`,
  userName: `user-${index}`,
  meta: { lastModified: new Date(Date.UTC(2026, 0, index + 1)).toISOString() },
}));
const groups = [
  { id: 'g-1', displayName: 'All', members: [{ value: 'g-2', type: 'Group' }] },
  { id: 'g-2', displayName: 'Berlin', members: [{ value: 'u-01', type: 'User' }] },
];

let peers: readonly Peer[] = [];
beforeAll(async () => {
  peers = await Promise.all(
    ([4, 5] as const).map((express) => startScimPeer({ express, users, groups, maxResults: 10 })),
  );
});
afterAll(() => Promise.all(peers.map(({ stop }) => stop())));

const clientOf = (peer: Peer | undefined): ScimClient => {
  const baseUrl = peer?.baseUrl ?? '';
  const http = createHttpClient({ namedOrigins: [baseUrl] });
  const clock = systemClock;
  return new ScimClient(
    {
      key: baseUrl,
      config: {
        ...{ baseUrl, adminUsername: 'admin', adminPassword: 'secret' },
        ...{ adminTokenTtlMinutes: 30, authMode: 'auto' },
      },
    },
    { http, clock, pause: async () => undefined, requestsPerSecond: 1_000 },
    new Logins(clock),
  );
};
const walk = async (client: ScimClient): Promise<string[]> => {
  const ids: string[] = [];
  let page = await client.page({ kind: 'Users' });
  for (; page.next; page = await client.page({ kind: 'Users', position: page.next })) {
    ids.push(...page.resources.map(({ id }) => String(id)));
  }
  return [...ids, ...page.resources.map(({ id }) => String(id))];
};

describe('scimmy on Express 4', () => {
  it('is read whole, page by page', async () => {
    const client = clientOf(peers[0]);
    expect(await client.capabilities()).toEqual({
      ...{ authMode: 'basic', filter: true, sort: true, cursorPaging: false, maxResults: 10 },
    });
    expect((await walk(client)).sort()).toEqual(users.map(({ id }) => id));
  });

  it('gives groups in groups, single users, counts and changes', async () => {
    const client = clientOf(peers[0]);
    const { resources } = await client.page({ kind: 'Groups' });
    expect(buildTree(readGroups(resources)).departments).toMatchObject([
      { externalId: 'g-1', depth: 0 },
      { externalId: 'g-2', parent: 'g-1', depth: 1 },
    ]);
    expect(await client.find('Users', 'u-03')).toMatchObject({ userName: 'user-3' });
    expect(await client.find('Users', 'nobody')).toBeUndefined();
    expect(await client.count('Users')).toBe(25);
    const filter = 'meta.lastModified ge "2026-01-24T00:00:00.000Z"';
    const changed = await client.page({ kind: 'Users', filter });
    expect(changed.resources.map(({ id }) => id)).toEqual(['u-23', 'u-24']);
  });

  it('takes new users, and tells of those that it has', async () => {
    const client = clientOf(peers[0]);
    const made = await client.createUser({ userName: 'new', fullName: 'New' });
    expect(made.isNew).toBe(true);
    expect(await client.createUser({ userName: 'new' })).toEqual({ id: made.id, isNew: false });
  });
});

describe('scimmy on Express 5, which ignores paging', () => {
  it('is stopped at the second page', async () => {
    await expect(walk(clientOf(peers[1]))).rejects.toMatchObject({ code: 'PAGING_BROKEN' });
  });
});
