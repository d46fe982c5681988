import { describe, expect, it } from 'vitest';
import { createTargetGuard } from '../../../../shared/http-client/target.ts';
import { type HostileServer, startServer } from '../../../helpers/hostile-server.ts';
import { aClient, closing, errorOf, resolverOf } from './a-client.ts';

const aServer = async (): Promise<HostileServer> =>
  closing(await startServer((_request, response) => response.end('inside')));

const outside = (options = {}) => aClient({ isLocal: false, ...options });

describe('an address in figures', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '①②⑦.0.0.1',
  ])('is refused when it is this machine: %s', async (host) => {
    const server = await aServer();
    const client = outside({ ports: [server.port] });

    const error = await errorOf(client.request(`https://${host}:${server.port}/`));

    expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
    expect(server.connections()).toBe(0);
  });

  it.each([
    '169.254.169.254',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '10.0.0.1',
    '192.168.0.1',
    '172.16.0.1',
    '100.64.0.1',
    '[fc00::1]',
    '224.0.0.1',
    '255.255.255.255',
  ])('is refused when it lies inside of a network: %s', async (host) => {
    const error = await errorOf(outside().request(`https://${host}/latest/meta-data`));

    expect(error).toMatchObject({
      code: 'TARGET_REFUSED',
      message: expect.stringMatching(/address/),
    });
  });

  it.each(['169.254.169.254', '[fd00:ec2::254]', '0.0.0.0', '10.0.0.1'])(
    'is refused on the stage local as well: %s',
    async (host) => {
      const error = await errorOf(aClient().request(`http://${host}/`));

      expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
    },
  );
});

describe('a name', () => {
  it.each(['localhost', 'localhost.', 'sub.localhost'])(
    'of this machine is refused: %s',
    async (host) => {
      const server = await aServer();
      const { resolveName } = resolverOf(['127.0.0.1', '::1']);
      const client = outside({ ports: [server.port], resolveName });

      const error = await errorOf(client.request(`https://${host}:${server.port}/`));

      expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
      expect(server.connections()).toBe(0);
    },
  );

  it('is refused when the system resolves it to this machine', async () => {
    const error = await errorOf(outside().request('https://localhost/'));

    expect(error).toMatchObject({ code: 'TARGET_REFUSED', origin: 'https://localhost' });
  });

  it.each([['10.0.0.1'], ['169.254.169.254'], ['::ffff:10.0.0.1'], ['fd00:ec2::254'], []])(
    'is refused when it resolves to %s',
    async (...addresses) => {
      const { resolveName } = resolverOf(addresses);

      const error = await errorOf(outside({ resolveName }).request('https://rebind.example/'));

      expect(error).toMatchObject({ code: 'TARGET_REFUSED', origin: 'https://rebind.example' });
    },
  );

  it('is connected only at those of its addresses that are permitted', async () => {
    const server = await aServer();
    const { resolveName } = resolverOf(['169.254.169.254', '10.0.0.1', '127.0.0.1']);

    const answer = await aClient({ resolveName }).request(`http://mixed.example:${server.port}/`);

    expect(answer.body.toString()).toBe('inside');
  });

  it('is refused when it resolves to another address for the next connection', async () => {
    const server = closing(
      await startServer((_request, response) => {
        response.writeHead(200, { connection: 'close' }).end();
      }),
    );
    const { resolveName, asked } = resolverOf(['127.0.0.1'], ['169.254.169.254']);
    const client = aClient({ resolveName });
    await client.request(`http://rebind.example:${server.port}/`);

    const error = await errorOf(client.request(`http://rebind.example:${server.port}/`));

    expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
    expect(asked).toHaveLength(2);
  });

  it('is refused when the connection leads elsewhere than what was resolved', async () => {
    const server = await aServer();
    let reads = 0;
    const changing = {
      get address() {
        reads += 1;
        return reads === 1 ? '8.8.8.8' : '127.0.0.1';
      },
      family: 4,
    };
    const origin = `http://rebind.example:${server.port}`;
    const client = outside({ namedOrigins: [origin], resolveName: async () => [changing] });

    const error = await errorOf(client.request(origin));

    expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
    expect(reads).toBeGreaterThan(1);
    expect(server.requests).toEqual([]);
  });

  it('that does not exist is a failure of its own', async () => {
    const resolveName = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };

    const error = await errorOf(outside({ resolveName }).request('https://none.example/'));

    expect(error).toMatchObject({ code: 'NAME_NOT_FOUND' });
  });
});

describe('the scheme and the port', () => {
  it.each([
    ['http://example.com/', 'TARGET_REFUSED'],
    ['https://example.com:8443/', 'TARGET_REFUSED'],
    ['https://example.com:22/', 'TARGET_REFUSED'],
    ['ftp://example.com/', 'INVALID_URL'],
    ['file:///etc/passwd', 'INVALID_URL'],
    ['data:,x', 'INVALID_URL'],
    ['/relative', 'INVALID_URL'],
    ['', 'INVALID_URL'],
    ['https://user@example.com/', 'INVALID_URL'],
    ['https://user:secret@example.com/', 'INVALID_URL'],
    ['https://trusted.example@evil.example/', 'INVALID_URL'],
  ])('of %s are refused with %s', async (address, code) => {
    const { resolveName, asked } = resolverOf(['8.8.8.8']);

    const error = await errorOf(outside({ resolveName }).request(address));

    expect(error).toMatchObject({ code });
    expect(asked).toEqual([]);
  });

  it('may be another port where the module permits it', () => {
    const guard = createTargetGuard({ ports: [443, 8443] });

    expect(guard.check('https://example.com:8443/x').port).toBe('8443');
  });

  it('may be plain http and any port on the stage local', () => {
    const guard = createTargetGuard({ isLocal: true });

    expect(guard.check('http://example.com:8080/x').port).toBe('8080');
  });
});

describe('an origin that the configuration names', () => {
  it('may be this machine when that is its name', async () => {
    const server = await aServer();
    const client = outside({ namedOrigins: [`${server.origin}/some/path`] });

    const answer = await client.request(`${server.origin}/`);

    expect(answer).toMatchObject({ status: 200 });
  });

  it('names no other port of the same host', async () => {
    const [named, other] = [await aServer(), await aServer()];
    const client = outside({ namedOrigins: [named.origin], ports: [other.port] });

    const error = await errorOf(client.request(`https://127.0.0.1:${other.port}/`));

    expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
    expect(other.connections()).toBe(0);
  });

  it.each([
    ['http://docs.internal:8080', ['public', 'private']],
    ['https://10.1.2.3', ['public', 'private']],
    ['http://localhost:8080', ['public', 'private', 'loopback']],
    ['http://[::1]:8080', ['public', 'private', 'loopback']],
    ['http://127.0.0.2', ['public', 'private', 'loopback']],
    ['https://127.0.0.1.evil.example', ['public', 'private']],
    ['https://notlocalhost', ['public', 'private']],
  ])('%s may be connected at addresses that are %s', (origin, kinds) => {
    const guard = createTargetGuard({ namedOrigins: [origin] });

    expect([...guard.kindsOf(new URL(origin).origin)]).toEqual(kinds);
  });

  it.each(['127.0.0.1', '169.254.169.254', 'fd00:ec2::254', '0.0.0.0'])(
    'is refused all the same when its name resolves to %s',
    async (address) => {
      const { resolveName } = resolverOf([address]);
      const client = outside({ namedOrigins: ['https://docs.internal'], resolveName });

      const error = await errorOf(client.request('https://docs.internal/'));

      expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
    },
  );
});
