import { generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { startServer } from '../../../helpers/hostile-server.ts';
import { anOpenDocument, letter } from '../saving/saves.ts';

const PUBLIC = 'https://docs.example.com/ds';

const SIGNED = { keyType: 'ec', algorithm: 'sha256' } as const;

/** An authority of an organisation, and the certificate of its document server. */
async function certificates() {
  const authority = await generate([{ name: 'commonName', value: 'Our authority' }], {
    ...SIGNED,
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'docs' }], {
    ...SIGNED,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { authority: authority.cert, tls: { key, cert } };
}

let ours: Awaited<ReturnType<typeof certificates>>;
let others: typeof ours;
beforeAll(async () => {
  [ours, others] = await Promise.all([certificates(), certificates()]);
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A document of a server that the platform reaches by another address than browsers, with TLS. */
async function aDocument(docs: object, readSecret?: (reference: string) => Promise<string>) {
  const internal = await startServer((request, response) => {
    if (request.url?.startsWith('/inside/command')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 0, version: '9.0.4' }));
    } else response.end(letter('from inside'));
  }, ours.tls);
  const url = `https://127.0.0.1:${internal.port}/inside`;
  const world = await anOpenDocument({
    docs: { 'document-server-url': PUBLIC, 'document-server-internal-url': url, ...docs },
    ...(readSecret && { readSecret }),
  });
  open.push(internal, world.server);
  const asked = () => internal.requests.map((request) => request.url);
  return { ...world, asked, status: () => world.get('/api/v1/docs/status') };
}

describe('a document server with an address of its own for the platform', () => {
  it('is asked there, by the authority of the configuration', async () => {
    const world = await aDocument({ ca: ours.authority });

    const { body } = await world.status();

    expect(body).toMatchObject({ isReachable: true, version: '9.0.4', documentServerUrl: PUBLIC });
    expect(world.asked()).toEqual(['/inside/command']);
    expect(world.opened.documentServerUrl).toBe(`${PUBLIC}/`);
  });

  it('is asked by an authority that is in Secrets Manager', async () => {
    const asked: string[] = [];
    const world = await aDocument({ ca: 'secretsmanager:docs#ca' }, async (reference) => {
      asked.push(reference);
      return ours.authority;
    });

    expect((await world.status()).body).toMatchObject({ isReachable: true });
    expect(asked).toEqual(['docs#ca']);
  });

  it.each([
    ['no authority', () => ({})],
    ['another authority', () => ({ ca: others.authority })],
  ])('is told nothing with %s', async (_, docs) => {
    const world = await aDocument(docs());

    const { body } = await world.status();
    const saved = await world.save(2, { url: `${PUBLIC}/cache/files/1/output.docx` });

    expect(body).toMatchObject({ isReachable: false, fault: 'TLS_FAILED' });
    expect(saved.status).toBe(503);
    expect(world.asked()).toEqual([]);
  });

  it.each([
    ['the public address', `${PUBLIC}/cache/files/1/output.docx?md5=x`],
    ['the host of somebody else', 'https://evil.example.com/cache/files/1/output.docx?md5=x'],
  ])('is where a save is fetched from that names %s', async (_, url) => {
    const world = await aDocument({ ca: ours.authority });

    const { status } = await world.save(2, { url });

    expect([status, world.asked()]).toEqual([200, ['/inside/cache/files/1/output.docx?md5=x']]);
    expect(JSON.stringify([...readParagraphs(world.stored() ?? Buffer.alloc(0))])).toContain(
      'from inside',
    );
  });
});
