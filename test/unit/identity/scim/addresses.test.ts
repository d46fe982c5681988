import { afterEach, expect, it } from 'vitest';
import { IdentitySourceBeanRegistry } from '../../../../functions/identity/identity-source-bean-registry.ts';
import { type HostileServer, startServer } from '../../../helpers/hostile-server.ts';
import { anIdentityApi, CONNECTION, SOURCES } from '../../../helpers/identity/identity-api.ts';
import { memorySync } from '../../../helpers/identity/memory-sync.ts';
import { fakeClock } from '../../../helpers/world/fake-clock.ts';

const open: HostileServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
const aServer = async (location?: string): Promise<HostileServer> => {
  const server = await startServer((_, response) => {
    response.writeHead(location === undefined ? 200 : 302, location ? { location } : {}).end('{}');
  });
  open.push(server);
  return server;
};

const HOSTS = [
  ...['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '0x7f.1', '2130706433', 'localhost'],
  ...['sub.localhost', '10.1.2.3', '192.168.0.1', '172.16.0.1', '100.64.0.1', '[fd00::1]'],
  ...['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '[::ffff:169.254.169.254]'],
];
const PROVIDERS = '/api/v1/identity_provider';

const validated = async (baseUrl: string, allowInsecureHosts: readonly string[] = []) => {
  const idp = { allowedHosts: [], allowInsecureHosts, requestsPerSecond: 1_000 };
  const registry = new IdentitySourceBeanRegistry({
    ...{ clock: fakeClock(), pause: async () => undefined, idp },
  });
  return registry.of('EXTSRC').validate({
    ...{ ...CONNECTION, baseUrl, adminTokenTtlMinutes: 30 },
    ...{ incrementalEnabled: false, authMode: 'basic' },
  });
};

it.each(HOSTS)('a source at %s is not connected to', async (host) => {
  const server = await aServer();
  for (const address of [`https://${host}/scim/v2`, `https://${host}:${server.port}/scim/v2`]) {
    const { checks } = await validated(address);
    expect(checks.some(({ status }) => status === 'FAIL')).toBe(true);
    expect(checks.find(({ name }) => name === 'connect')?.status).not.toBe('PASS');
  }
  expect(server.connections()).toBe(0);
});

it('a source that is named sends nobody elsewhere', async () => {
  const inner = await aServer();
  const source = await aServer(`${inner.origin}/latest/meta-data`);

  const { checks } = await validated(`${source.origin}/scim/v2`, [new URL(source.origin).host]);

  expect(checks.some(({ status }) => status === 'FAIL')).toBe(true);
  expect(source.connections()).toBeGreaterThan(0);
  expect(inner.connections()).toBe(0);
});

it.each(HOSTS)('a provider at %s is not connected to', async (host) => {
  const server = await aServer();
  const api = anIdentityApi({ sync: memorySync() });
  const config = { issuer: `https://${host}:${server.port}`, clientId: 'c', clientSecret: 's' };

  const { text } = await api.post(`${PROVIDERS}/config_validator`, { config });

  expect(text).not.toContain('"valid":true');
  expect(server.connections()).toBe(0);
});

it('a source that is not named is not spoken to in plain text', async () => {
  const server = await aServer();

  const { checks } = await validated(`${server.origin}/scim/v2`);

  expect(checks[0]).toMatchObject({ name: 'url', status: 'FAIL' });
  expect(server.connections()).toBe(0);
});

it.each(['https://a:b@idm.example.com', 'https://a.example.com#b', 'ftp://a.b', 'file:///etc'])(
  'a source has no address %s',
  async (baseUrl) => {
    const basicConfig = { ...CONNECTION, baseUrl };
    const body = { name: 'Head office', provider: 'EXTSRC', basicConfig };

    expect((await anIdentityApi().post(`${SOURCES}/create`, body)).status).toBe(400);
  },
);
