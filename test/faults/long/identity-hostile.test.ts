import { afterEach, describe, expect, it } from 'vitest';
import { type HostileServer, startServer } from '../../helpers/hostile-server.ts';
import { type HttpSync, httpSync } from '../../helpers/identity/http-sync.ts';
import { SOURCES } from '../../helpers/identity/identity-api.ts';
import { stateOf, wrongAccounts } from '../../helpers/identity/stored-people.ts';
import { startScimPeer } from '../../helpers/scim/scim-peer.ts';
import type { Asked, Told } from '../../helpers/scim/scripted-source.ts';
import { report } from '../harness/run.ts';

const PEOPLE = 2_000;
const PAGE = 200;
const PAGES = PEOPLE / PAGE;
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});
const aServer = async (told: (path: string) => Told = () => ({})): Promise<HostileServer> => {
  const server = await startServer((request, response) => {
    const { status = 200, headers = {}, body } = told(request.url ?? '');
    response.writeHead(status, headers).end(JSON.stringify(body ?? {}));
  });
  closing.push(server);
  return server;
};

/** A directory of which a twentieth is gone, as many are new and a tenth is renamed since the first run. */
async function changed(): Promise<HttpSync> {
  const world = await httpSync();
  closing.push(world);
  world.fill(PEOPLE);
  expect(await world.run()).toMatchObject({ status: 'SUCCESS', createdCount: PEOPLE });
  const { users } = world.directory;
  for (const [at, [id, user]] of [...users].entries()) {
    if (at % 20 === 7) {
      users.delete(id);
      users.set(`n-${at}`, { id: `n-${at}`, userName: `new-${at}` });
    } else if (at % 10 === 3) users.set(id, { ...user, displayName: `Changed ${at}` });
  }
  return world;
}
const isList = ({ path, query }: Asked): boolean =>
  path.endsWith('/Users') && query.get('count') !== '0';
const pageOf = ({ query }: Asked): number =>
  Math.floor((Number(query.get('startIndex')) - 1) / PAGE) + 1;
type List = { readonly Resources: readonly object[]; readonly totalResults: number };
const listOf = ({ body }: Told): List => body as List;

/** What a directory may answer for one of its pages. */
const LIES: readonly (readonly [string, (honest: Told, asked: Asked) => Told])[] = [
  ['HTML with 200', () => ({ headers: { 'content-type': 'text/html' }, body: '<html></html>' })],
  ['half of its JSON', ({ body }) => ({ body: JSON.stringify(body).slice(0, -400) })],
  [
    'an answer that breaks off',
    ({ body }) => ({
      headers: { 'content-length': '9999999', connection: 'close' },
      body: JSON.stringify(body),
    }),
  ],
  ['an empty page', (honest) => ({ body: { ...listOf(honest), Resources: [] } })],
  [
    'an object twice',
    (honest) => {
      const [first = {}, , ...others] = listOf(honest).Resources;
      return { body: { ...listOf(honest), Resources: [first, first, ...others] } };
    },
  ],
  ['a page that nobody asked for', (honest) => ({ body: { ...listOf(honest), startIndex: 77 } })],
  ['fewer in all', (honest) => ({ body: { ...listOf(honest), totalResults: 900 } })],
  ['nobody in all', (honest) => ({ body: { ...listOf(honest), Resources: [], totalResults: 0 } })],
  [
    'a page without half of its users, and fewer in all',
    (honest) => ({
      body: {
        ...listOf(honest),
        Resources: listOf(honest).Resources.slice(100),
        totalResults: 1_900,
      },
    }),
  ],
  [
    'users of the page before',
    (honest) => {
      const { Resources } = listOf(honest);
      const other = Resources.map((each, at) =>
        at < 5 ? { id: `u-0000${at}`, userName: `user-${at}` } : each,
      );
      return { body: { ...listOf(honest), Resources: other } };
    },
  ],
  [
    'users without names',
    (honest) => ({
      body: {
        ...listOf(honest),
        Resources: listOf(honest).Resources.map(({ id }: { id?: string }) => ({ id })),
      },
    }),
  ],
  ['500', () => ({ status: 500 })],
  ['429 without an end', () => ({ status: 429 })],
  ['a redirect', () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
];

describe('2,000 users over HTTP, and a source that answers', () => {
  it.each(LIES)('%s, at each page: nobody is removed whom it has', async (name, lie) => {
    const world = await changed();
    const before = wrongAccounts(world, world.directory);
    const ends: string[] = [];
    for (let page = 1; page <= PAGES; page += 1) {
      world.directory.lie = (asked, honest) =>
        isList(asked) && pageOf(asked) === page ? lie(honest, asked) : undefined;
      const { status, deletedCount, disabledCount } = await world.run();
      ends.push(status);
      expect(deletedCount + disabledCount).toBeLessThanOrEqual(PEOPLE / 20);
      const wrong = wrongAccounts(world, world.directory);
      // Whoever is new may be missing still; nobody who was there is.
      expect(wrong.filter((each) => !before.includes(each))).toEqual([]);
    }
    world.directory.lie = undefined;
    expect((await world.run()).status).toBe('SUCCESS');
    expect(wrongAccounts(world, world.directory)).toEqual([]);
    expect(stateOf(world)).toHaveLength(PEOPLE + PEOPLE / 20);
    report(name, {
      ends: Object.fromEntries(
        Map.groupBy(ends, (each) => each)
          .entries()
          .map(([key, all]) => [key, all.length]),
      ),
    });
  });

  it('honestly, but with pages of any size, is read whole', async () => {
    const world = await changed();
    world.directory.lie = (asked, honest) => {
      if (!isList(asked)) return undefined;
      const short = listOf(honest).Resources.slice(
        0,
        1 + (Number(asked.query.get('startIndex')) % 90),
      );
      return { body: { ...listOf(honest), Resources: short, itemsPerPage: short.length } };
    };
    expect((await world.run()).status).toBe('SUCCESS');
    expect(wrongAccounts(world, world.directory)).toEqual([]);
  });
});

describe('a service provider of another project that ignores paging', () => {
  it('changes nothing of what the one that does not has made', async () => {
    const [good, broken] = await Promise.all([
      startScimPeer({ people: PEOPLE }),
      startScimPeer({ people: PEOPLE, express: 5 }),
    ]);
    closing.push({ close: good.stop }, { close: broken.stop });
    const hosts = [good, broken].map(({ baseUrl }) => new URL(baseUrl).host);
    const world = await httpSync({
      hosts,
      basicConfig: { baseUrl: good.baseUrl, adminUsername: 'admin', adminPassword: 'secret' },
    });
    closing.push(world);
    expect(await world.run()).toMatchObject({ status: 'SUCCESS', createdCount: PEOPLE });
    const before = stateOf(world);
    const connection = { ...world.basicConfig, baseUrl: broken.baseUrl, adminPassword: 'secret' };
    expect((await world.save({ basicConfig: connection })).status).toBe(200);
    expect(await world.run()).toMatchObject({ status: 'FAIL', reasonCode: 'PAGING_BROKEN' });
    expect(stateOf(world)).toEqual(before);
  });
});

const INSIDE = [
  ...['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '0x7f.1', '2130706433', 'localhost'],
  ...['sub.localhost', '10.1.2.3', '192.168.0.1', '172.16.0.1', '100.64.0.1', '[fd00::1]'],
  ...['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '[::ffff:169.254.169.254]'],
];

describe('addresses inside of a network', () => {
  it.each(INSIDE)(
    '%s is reached by no setting of a source or provider, nor by a run',
    async (host) => {
      const server = await aServer();
      const world = await httpSync();
      closing.push(world);
      world.fill(3);
      const { api, context, basicConfig: known } = world;
      for (const port of ['', `:${server.port}`]) {
        const origin = `https://${host}${port}`;
        for (const change of [
          { baseUrl: `${origin}/scim/v2` },
          { authMode: 'token', tokenUrl: `${origin}/token` },
        ]) {
          context.clock.advance(61_000);
          const basicConfig = { ...known, ...change };
          const config = { basicConfig };
          const tried = { provider: 'EXTSRC', config };
          const { text } = await api.post(`${SOURCES}/config_validator`, tried);
          expect(text).not.toContain('"valid":true');
          const saved = await world.save({ basicConfig });
          expect([200, 400]).toContain(saved.status);
          if (saved.status === 200) expect(await world.run()).toMatchObject({ status: 'FAIL' });
          await world.save({ basicConfig: { ...known, tokenUrl: null } });
        }
        const provider = {
          name: `P ${port}`,
          config: { issuer: origin, clientId: 'c', clientSecret: 's' },
        };
        const tried = await api.post('/api/v1/identity_provider/config_validator', provider);
        expect(tried.text).not.toContain('"valid":true');
      }
      expect((await world.run()).status).toBe('SUCCESS');
      expect(server.connections()).toBe(0);
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'are not reached by a redirect (%i) of any answer',
    async (status) => {
      const inner = await aServer();
      for (const path of [
        'ServiceProviderConfig',
        'Groups',
        'Users',
        'Users/u-00001',
        'well-known',
      ]) {
        const world = await httpSync();
        closing.push(world);
        world.fill(5);
        expect((await world.run()).status).toBe('SUCCESS');
        if (path === 'Users/u-00001') world.directory.users.delete('u-00001');
        if (path === 'well-known') await world.save({ basicConfig: { authMode: 'auto' } });
        world.directory.lie = (asked) =>
          asked.path.endsWith(path) || (path === 'well-known' && asked.path.includes('.well-known'))
            ? { status, headers: { location: `${inner.origin}/latest/meta-data` } }
            : undefined;
        await world.save({ jobConfig: {} });
        await world.run();
        world.directory.lie = undefined;
        expect((await world.run()).status).toBe('SUCCESS');
      }
      expect(inner.connections()).toBe(0);
    },
  );

  it('are not reached by a token endpoint that a source names at another host', async () => {
    const inner = await aServer();
    const world = await httpSync({ basicConfig: { authMode: 'token' } });
    closing.push(world);
    for (const endpoint of [inner.origin, 'https://169.254.169.254', 'https://idm.example.com']) {
      world.directory.lie = ({ path }) =>
        path.includes('.well-known')
          ? { body: { token_endpoint: `${endpoint}/token` } }
          : undefined;
      await world.save({ jobConfig: {} });
      expect(await world.run()).toMatchObject({ status: 'FAIL', reasonCode: 'ADDRESS_REFUSED' });
    }
    expect(inner.connections()).toBe(0);
  });
});
