import { createHash } from 'node:crypto';
import { PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import {
  createEngineHandler,
  DocumentRefusedError,
  type PrintingEngine,
} from '../../../../functions/templates/pdf/engine-function.ts';
import { EngineStarting } from '../../../../functions/templates/pdf/watching/started-engine.ts';
import { FileTooLargeError } from '../../../../shared/files/files.ts';
import { TimeUpError } from '../../../../shared/primitives/time-limit.ts';

const call = {
  source: { path: 'documents/a.docx', format: 'docx' },
  target: 'documents/a.pdf',
  at: '2026-01-02T03:04:05.000Z',
  pdfA: false,
  tagged: false,
  maxPages: 500,
  limitMs: 10_000,
};

/** A page with links to these addresses, at (100, 200) and 50 more for each. */
async function aPdf(links: readonly string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.addPage([300, 400]);
  const page = document.addPage([300, 400]);
  const annotations = links.map((link, index) =>
    document.context.obj({
      Type: 'Annot',
      Subtype: 'Link',
      Rect: [100 + 50 * index, 200, 140 + 50 * index, 220],
      A: { S: 'URI', URI: PDFString.of(link) },
    }),
  );
  if (links.length > 0) page.node.set(PDFName.of('Annots'), document.context.obj(annotations));
  return document.save({ useObjectStreams: false });
}

function anEngineFunction(
  print: PrintingEngine['print'],
  stored: Uint8Array | Error = Buffer.of(1),
) {
  const written = new Map<string, Uint8Array>();
  const handler = createEngineHandler({
    engine: { print },
    now: () => 1_000,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    files: {
      read: async () => {
        if (stored instanceof Error) throw stored;
        return { body: Buffer.from(stored), contentType: '', sizeBytes: 1, etag: '' };
      },
      write: async (path, body) => {
        written.set(path, body);
        return { etag: '' };
      },
    },
  });
  return { handler, written };
}

describe('the function of an engine', () => {
  it('prints a document of the bucket to the bucket and says what it wrote', async () => {
    const pdf = await aPdf([]);
    const { handler, written } = anEngineFunction(async ({ bytes, format }, deadline) => {
      expect([...bytes, format, deadline]).toEqual([1, 'docx', 10_500]);
      return { pdf, pages: 2 };
    });

    const reply = await handler(call);

    const body = written.get('documents/a.pdf') ?? Buffer.of();
    expect(reply).toEqual({
      outcome: 'printed',
      pages: 2,
      sizeBytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
      places: [],
    });
  });

  it('prints a document that is part of the call', async () => {
    const asked: Uint8Array[] = [];
    const print: PrintingEngine['print'] = async ({ bytes }) => {
      asked.push(bytes);
      return { pdf: await aPdf([]), pages: 2 };
    };
    const { handler } = anEngineFunction(print, new Error('Nothing is read'));

    const reply = await handler({ ...call, source: { format: 'docx', base64: 'UEs=' } });

    expect(reply).toMatchObject({ outcome: 'printed', pages: 2 });
    expect(asked.map(String)).toEqual(['PK']);
  });

  it('reports the places that a document keeps free and takes their links away', async () => {
    const pdf = await aPdf([
      'urn:svc-cloud:place:Ch%E1%BB%AF%20k%C3%BD',
      'https://example.org/',
      'urn:svc-cloud:place:b',
    ]);
    const { handler, written } = anEngineFunction(async () => ({ pdf, pages: 2 }));

    const reply = await handler(call);

    const size = { page: 2, y: 200, width: 40, height: 20 };
    expect(reply).toMatchObject({
      places: [
        { name: 'Chữ ký', x: 100, ...size },
        { name: 'b', x: 200, ...size },
      ],
    });
    const after = await PDFDocument.load(written.get('documents/a.pdf') ?? Buffer.of());
    expect(after.getPage(1).node.Annots()?.size()).toBe(1);
    expect(Buffer.from(written.get('documents/a.pdf') ?? []).includes('https://example.org/')).toBe(
      true,
    );
  });

  it('writes no document that is too long', async () => {
    const { handler, written } = anEngineFunction(async () => ({ pdf: Buffer.of(), pages: 501 }));

    expect(await handler(call)).toEqual({ outcome: 'too-long', pages: 501 });
    expect(written.size).toBe(0);
  });

  it.each([
    [new DocumentRefusedError('no text'), { outcome: 'refused' }],
    [new TimeUpError('late'), { outcome: 'late' }],
    [new EngineStarting('not ready'), { outcome: 'starting' }],
  ])('says why nothing was printed: %s', async (cause, expected) => {
    const { handler } = anEngineFunction(async () => {
      throw cause;
    });

    expect(await handler(call)).toEqual(expected);
  });

  it('refuses a document that is too large to be read', async () => {
    const { handler } = anEngineFunction(
      async () => ({ pdf: Buffer.of(), pages: 1 }),
      new FileTooLargeError('documents/a.docx', 1),
    );

    expect(await handler(call)).toEqual({ outcome: 'refused' });
  });

  it('fails when the engine does', async () => {
    const { handler } = anEngineFunction(async () => {
      throw new Error('No engine starts');
    });

    await expect(handler(call)).rejects.toThrow('No engine starts');
  });
});
