import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../../helpers/hostile-server.ts';
import { aClient, closing, errorOf, resolverOf } from './a-client.ts';

const DAY_MS = 86_400_000;

async function aTlsServer({ name = 'idp.example', endsInDays = 1 } = {}) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    notBeforeDate: new Date(Date.now() - 10 * DAY_MS),
    notAfterDate: new Date(Date.now() + endsInDays * DAY_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  const server = closing(
    await startServer((_request, response) => response.end('over TLS'), { key, cert }),
  );
  const { resolveName } = resolverOf(['127.0.0.1']);
  return { server, cert, resolveName, address: `https://idp.example:${server.port}/` };
}

describe('a server with TLS', () => {
  it('is called when its certificate is by an authority that the client trusts', async () => {
    const { address, cert, resolveName } = await aTlsServer();

    const answer = await aClient({ resolveName, certificateAuthorities: cert }).request(address);

    expect(answer.body.toString()).toBe('over TLS');
  });

  it.each([
    ['nobody known has signed its certificate', {}, false],
    ['its certificate is for another name', { name: 'other.example' }, true],
    ['its certificate has expired', { endsInDays: -1 }, true],
  ])('is not called when %s', async (_what, certificate, isTrusted) => {
    const { server, address, cert, resolveName } = await aTlsServer(certificate);
    const client = aClient({ resolveName, ...(isTrusted && { certificateAuthorities: [cert] }) });

    const error = await errorOf(client.request(address));

    expect(error).toMatchObject({ code: 'TLS_FAILED' });
    expect(server.requests).toEqual([]);
  });

  it('leads to no plain http', async () => {
    const plain = closing(await startServer((_request, response) => response.end()));
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'idp.example' }], {
      keyType: 'ec',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'idp.example' }] }],
    });
    const server = closing(
      await startServer(
        (_request, response) => response.writeHead(302, { location: plain.origin }).end(),
        { key, cert },
      ),
    );
    const { resolveName } = resolverOf(['127.0.0.1']);
    const client = aClient({ resolveName, certificateAuthorities: cert });

    const error = await errorOf(
      client.request(`https://idp.example:${server.port}/`, { maxRedirects: 1 }),
    );

    expect(error).toMatchObject({ code: 'REDIRECT_REFUSED' });
    expect(plain.connections()).toBe(0);
  });

  it('that is spoken to without TLS gives a broken answer', async () => {
    const { server } = await aTlsServer();

    const error = await errorOf(aClient().request(`http://127.0.0.1:${server.port}/`));

    expect(error).toMatchObject({ code: 'BROKEN_ANSWER' });
  });
});
