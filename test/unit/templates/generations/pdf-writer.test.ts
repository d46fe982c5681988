import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FileVersion } from '../../../../functions/templates/domain/documents/template-file.ts';
import { PdfPrinter } from '../../../../functions/templates/generations/writing/pdf-printer.ts';
import { PdfWriter } from '../../../../functions/templates/generations/writing/pdf-writer.ts';
import { TemplatePackages } from '../../../../functions/templates/generations/writing/template-packages.ts';
import type {
  PdfConverter,
  PdfRequest,
  PdfSource,
  PdfSourceFormat,
} from '../../../../shared/ports/pdf.ts';
import { runInContext } from '../../../../shared/primitives/request-context.ts';
import { type MemoryStorage, memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { makeDocx, paragraph } from '../../../helpers/docx/make-docx.ts';
import { SETTINGS, valuesOf } from '../../../helpers/docx/render-template.ts';
import { aGenerationsApi, letter, textOf } from './generations-api.ts';

const NOW = Date.parse('2026-03-01T09:30:00Z');
const TARGET = 'documents/generations/t/g/1.pdf';
const PLACE = { name: 'buyer', page: 1, x: 10, y: 20, width: 100, height: 40 };
const PRINTED = { pages: 1, sizeBytes: 7, sha256: 'ab', places: [PLACE] };

interface WriterOptions {
  readonly format?: PdfSourceFormat;
  readonly check?: PdfConverter['check'];
  /** The bucket of the stack, where the host has a storage of its own. */
  readonly bucket?: MemoryStorage;
  readonly template?: Uint8Array;
  readonly pdf?: { readonly pdfA?: boolean; readonly tagged?: boolean };
}

const filesOf = (storage: MemoryStorage) => ({
  read: storage.get,
  write: (path: string, body: Uint8Array) => storage.put(path, body, ''),
  delete: storage.delete,
});

/** What an engine reads of a source. */
const bytesOf = (source: PdfSource, { files }: MemoryStorage): Uint8Array =>
  ('path' in source ? files.get(source.path) : source.bytes) ?? Buffer.alloc(0);

/** A writer whose engine is asked what a test says. */
function aWriter(convert: PdfConverter['convert'], options: WriterOptions = {}) {
  const storage = memoryStorage();
  storage.files.set('template.docx', options.template ?? letter('Dear {{ho_ten}}'));
  const files = filesOf(storage);
  const printer = new PdfPrinter({
    ...{ files, exchange: options.bucket ? filesOf(options.bucket) : files },
    converter: { check: options.check ?? (() => {}), convert },
    format: options.format ?? 'docx',
    clock: { now: () => 100_000 },
  });
  const writer = new PdfWriter({ packages: new TemplatePackages(files), printer });
  const file = { path: 'template.docx' } as FileVersion;
  const write = () =>
    writer.write(TARGET, {
      ...{ title: 'Letter', type: 'TYPE_1', file, fields: [], values: valuesOf({ ho_ten: 'An' }) },
      ...{ settings: SETTINGS, imageOf: () => undefined, showsMissing: false, nowMs: NOW },
      pdf: options.pdf,
    });
  return { storage, write };
}

describe('a PDF', () => {
  it('is printed of the filled file, which does not stay', async () => {
    const asked: [PdfRequest, string][] = [];
    const { storage, write } = aWriter(async (request) => {
      asked.push([request, textOf(bytesOf(request.source, storage))]);
      return PRINTED;
    });

    const written = await write();

    expect(written).toMatchObject({ contentType: 'application/pdf', sizeBytes: 7, hash: 'ab' });
    expect(written.places).toEqual([PLACE]);
    const [[request, text] = []] = asked;
    expect(text).toBe('Dear An');
    expect(request).toMatchObject({
      ...{ target: TARGET, at: new Date(NOW), limitMs: 25_000 },
      source: { format: 'docx' },
    });
    expect([...storage.files.keys()]).toEqual(['template.docx']);
  });

  it('that is too large for a call to the engine goes through the bucket, and does not stay there', async () => {
    const template = makeDocx({
      body: paragraph('Dear {{ho_ten}}'),
      entries: { 'word/media/noise.png': randomBytes(5 * 1_024 * 1_024) },
      types: '<Default Extension="png" ContentType="image/png"/>',
    });
    const sources: PdfSource[] = [];
    const { storage, write } = aWriter(
      async ({ source }) => {
        sources.push(source);
        expect(textOf(bytesOf(source, storage))).toBe('Dear An');
        return PRINTED;
      },
      { template },
    );

    await write();

    expect(sources).toEqual([{ format: 'docx', path: `${TARGET}.source` }]);
    expect([...storage.files.keys()]).toEqual(['template.docx']);
  });

  it('leaves no file to print when the engine fails', async () => {
    const { storage, write } = aWriter(async () => {
      throw new Error('The engine is gone');
    });

    await expect(write()).rejects.toThrow('The engine is gone');

    expect([...storage.files.keys()]).toEqual(['template.docx']);
  });

  it('is printed of the page of the filled file by an engine that takes pages', async () => {
    const printed: string[] = [];
    const { storage, write } = aWriter(
      async ({ source }) => {
        printed.push(source.format, Buffer.from(bytesOf(source, storage)).toString());
        return PRINTED;
      },
      { format: 'html' },
    );

    await write();

    expect(printed[0]).toBe('html');
    expect(printed[1]).toMatch(/^<!DOCTYPE html>.*Dear .*An/s);
  });

  it('comes to the storage of the host over the bucket of the stack, and leaves nothing there', async () => {
    const bucket = memoryStorage();
    const { storage, write } = aWriter(
      async ({ source, target }) => {
        expect(textOf(bytesOf(source, bucket))).toBe('Dear An');
        bucket.files.set(target, Buffer.from('%PDF-1'));
        return PRINTED;
      },
      { bucket },
    );

    await write();

    expect([...bucket.files.keys()]).toEqual([]);
    expect([...storage.files.keys()]).toEqual(['template.docx', TARGET]);
    expect(String(storage.files.get(TARGET))).toBe('%PDF-1');
  });

  it('is left in the bucket for a day only when its function dies over it, where the host stores files', async () => {
    const template = makeDocx({
      body: paragraph('Dear {{ho_ten}}'),
      entries: { 'word/media/noise.png': randomBytes(5 * 1_024 * 1_024) },
      types: '<Default Extension="png" ContentType="image/png"/>',
    });
    const bucket = memoryStorage();
    const { promise: death, resolve: die } = Promise.withResolvers<void>();
    const { write } = aWriter(
      ({ target }) => {
        bucket.files.set(target, Buffer.from('%PDF-1'));
        die();
        return new Promise(() => undefined);
      },
      { bucket, template },
    );

    await Promise.race([write(), death]);

    const left = [...bucket.files.keys()];
    expect(left).toHaveLength(2);
    for (const path of left) expect(path).toMatch(/^documents\/previews\//);
  });

  it('has the options that are asked for; what the engine does not do is refused before anything is written', async () => {
    const bucket = memoryStorage();
    const asked: PdfRequest[] = [];
    const convert = async (request: PdfRequest) => {
      asked.push(request);
      bucket.files.set(request.target, Buffer.from('%PDF-1'));
      return PRINTED;
    };
    const check: PdfConverter['check'] = ({ pdfA, tagged }) => {
      if (pdfA) throw new Error(`no PDF/A, ${tagged}`);
    };

    await aWriter(convert, { bucket, check, pdf: { tagged: true } }).write();
    const refused = aWriter(convert, { bucket, check, pdf: { pdfA: true } });

    await expect(refused.write()).rejects.toThrow('no PDF/A, false');
    expect(asked).toMatchObject([{ tagged: true, pdfA: false }]);
    expect([...bucket.files.keys()]).toEqual([]);
  });

  it('takes no longer than its request has time', async () => {
    let limitMs = 0;
    const { write } = aWriter(async (request) => {
      limitMs = request.limitMs;
      return PRINTED;
    });

    await runInContext({ traceId: 't', deadline: 110_000 }, write);

    expect(limitMs).toBe(8_500);
  });
});

describe('POST /api/v1/templates/{id}/generate for a PDF', () => {
  it('is refused without an engine, and leaves no file', async () => {
    const world = await aGenerationsApi({
      svc: { template: { enabled: true, 'pdf-converter': 'none' } },
    });

    const { status, body } = await world.generate({ outputFormat: 'PDF' });

    expect([status, body.code]).toEqual([422, 'PDF_NOT_AVAILABLE']);
    expect(world.outputs()).toEqual([]);
    expect((await world.list()).body.content).toMatchObject([
      { status: 'FAILED', format: 'PDF', failure: { code: 'PDF_NOT_AVAILABLE' } },
    ]);
  });

  it('takes options of PDFs for PDFs alone', async () => {
    const world = await aGenerationsApi();

    const wrong = await world.generate({ outputFormat: 'DOCX', pdfA: true, tagged: true });
    const preview = await world.post(`${world.path}/preview`, { outputFormat: 'HTML', pdfA: true });
    const nothing = await world.generate({ outputFormat: 'DOCX', pdfA: false, tagged: null });

    expect([wrong.status, wrong.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(wrong.body.errors).toMatchObject([{ pointer: '/pdfA' }, { pointer: '/tagged' }]);
    expect(preview.body.errors).toMatchObject([{ pointer: '/pdfA' }]);
    expect(nothing.status).toBe(201);
  });

  it('is refused with options that the engine does not have', async () => {
    const world = await aGenerationsApi({
      svc: { template: { enabled: true, 'pdf-converter': 'chromium' } },
      functions: { 'pdf-chromium': 'the-function' },
    });

    const { status, body } = await world.generate({ outputFormat: 'PDF', pdfA: true });

    expect([status, body.code]).toEqual([422, 'PDF_OPTION_NOT_SUPPORTED']);
    expect(world.outputs()).toEqual([]);
  });
});
