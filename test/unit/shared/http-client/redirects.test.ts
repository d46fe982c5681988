import { describe, expect, it } from 'vitest';
import { type HostileServer, startServer } from '../../../helpers/hostile-server.ts';
import { aClient, closing, errorOf, resolverOf } from './a-client.ts';

const redirecting = async (location: () => string, status = 302): Promise<HostileServer> =>
  closing(
    await startServer((_request, response) => {
      response.writeHead(status, { location: location() }).end('see there');
    }),
  );

const target = async (): Promise<HostileServer> =>
  closing(await startServer((_request, response) => response.end('there')));

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'is refused when it was not asked for (%i)',
    async (status) => {
      const there = await target();
      const server = await redirecting(() => there.origin, status);

      const error = await errorOf(aClient().request(server.origin));

      expect(error).toMatchObject({ code: 'REDIRECT_REFUSED', status, origin: server.origin });
      expect(there.connections()).toBe(0);
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'is never followed by a %s',
    async (method) => {
      const there = await target();
      const server = await redirecting(() => there.origin, 307);

      const error = await errorOf(aClient().request(server.origin, { method, maxRedirects: 5 }));

      expect(error).toMatchObject({ code: 'REDIRECT_REFUSED' });
      expect(there.connections()).toBe(0);
    },
  );

  it('is followed when it was asked for, also to a path of the same server', async () => {
    const server = closing(
      await startServer((request, response) => {
        if (request.url === '/there?x=1') response.end('arrived');
        else response.writeHead(302, { location: '../there?x=1#part' }).end();
      }),
    );

    const answer = await aClient().request(`${server.origin}/a/b`, { maxRedirects: 1 });

    expect(answer.body.toString()).toBe('arrived');
  });

  it('is followed no more often than was asked for', async () => {
    const server = await redirecting(() => '/again');

    const error = await errorOf(aClient().request(server.origin, { maxRedirects: 3 }));

    expect(error).toMatchObject({ code: 'REDIRECT_REFUSED' });
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data/iam/', 'TARGET_REFUSED'],
    ['http://[fd00:ec2::254]/', 'TARGET_REFUSED'],
    ['http://10.0.0.1/', 'TARGET_REFUSED'],
    ['//0.0.0.0/', 'TARGET_REFUSED'],
    ['file:///etc/passwd', 'INVALID_URL'],
    ['http://user:secret@127.0.0.1/', 'INVALID_URL'],
    ['http://', 'REDIRECT_REFUSED'],
  ])('to %s is not followed', async (location, code) => {
    const server = await redirecting(() => location);

    const error = await errorOf(aClient().request(server.origin, { maxRedirects: 5 }));

    expect(error).toMatchObject({ code });
  });

  it('leads from a named origin to no other place of the same network', async () => {
    const inside = await target();
    const server = await redirecting(() => inside.origin);
    const client = aClient({ isLocal: false, namedOrigins: [server.origin] });

    const error = await errorOf(client.request(server.origin, { maxRedirects: 5 }));

    expect(error).toMatchObject({ code: 'TARGET_REFUSED' });
    expect(inside.connections()).toBe(0);
  });

  it('to a name is guarded like any other call', async () => {
    const { resolveName } = resolverOf(['169.254.169.254']);
    const server = await redirecting(() => 'http://metadata.example/');

    const error = await errorOf(
      aClient({ resolveName }).request(server.origin, { maxRedirects: 1 }),
    );

    expect(error).toMatchObject({ code: 'TARGET_REFUSED', origin: 'http://metadata.example' });
  });

  const personal = {
    Authorization: 'Bearer secret',
    Cookie: 'session=secret',
    'X-Api-Key': 'secret',
    Accept: 'text/plain',
  };

  it('to another origin drops what may be a credential', async () => {
    const there = await target();
    const server = await redirecting(() => there.origin);

    await aClient().request(server.origin, { maxRedirects: 1, headers: personal });

    const { host, connection, ...headers } = there.requests[0]?.headers ?? {};
    expect(headers).toEqual({ accept: 'text/plain', 'accept-encoding': 'gzip, br' });
  });

  it('back to the first origin does not bring the credentials back', async () => {
    const there = await redirecting(() => `${server.origin}/end`);
    const server: HostileServer = closing(
      await startServer((request, response) => {
        if (request.url === '/end') response.end();
        else response.writeHead(302, { location: there.origin }).end();
      }),
    );

    await aClient().request(server.origin, { maxRedirects: 2, headers: personal });

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer secret',
      undefined,
    ]);
  });

  it('within the origin keeps them', async () => {
    const server = closing(
      await startServer((request, response) => {
        if (request.url === '/end') response.end();
        else response.writeHead(302, { location: '/end' }).end();
      }),
    );

    await aClient().request(server.origin, { maxRedirects: 1, headers: personal });

    expect(server.requests[1]?.headers).toMatchObject({ authorization: 'Bearer secret' });
  });
});
