import { describe, expect, it } from 'vitest';
import type { FileVersion } from '../../../../functions/templates/domain/documents/template-file.ts';
import { PdfWriter } from '../../../../functions/templates/generations/writing/pdf-writer.ts';
import type { PdfConverter, PdfRequest, PdfSourceFormat } from '../../../../shared/ports/pdf.ts';
import { runInContext } from '../../../../shared/primitives/request-context.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { SETTINGS, valuesOf } from '../../../helpers/docx/render-template.ts';
import { aGenerationsApi, letter, textOf } from './generations-api.ts';

const NOW = Date.parse('2026-03-01T09:30:00Z');
const TARGET = 'documents/generations/t/g/1.pdf';
const PLACE = { name: 'buyer', page: 1, x: 10, y: 20, width: 100, height: 40 };
const PRINTED = { pages: 1, sizeBytes: 7, sha256: 'ab', places: [PLACE] };

/** A writer whose engine is asked what a test says. */
function aWriter(convert: PdfConverter['convert'], format: PdfSourceFormat = 'docx') {
  const storage = memoryStorage();
  storage.files.set('template.docx', letter('Dear {{ho_ten}}'));
  const writer = new PdfWriter({
    files: {
      read: storage.get,
      write: (path, body) => storage.put(path, body, ''),
      delete: storage.delete,
    },
    converter: { convert },
    format,
    clock: { now: () => 100_000 },
  });
  const file = { path: 'template.docx' } as FileVersion;
  const write = () =>
    writer.write(TARGET, {
      ...{ title: 'Letter', type: 'TYPE_1', file, fields: [], values: valuesOf({ ho_ten: 'An' }) },
      ...{ settings: SETTINGS, imageOf: () => undefined, showsMissing: false, nowMs: NOW },
    });
  return { storage, write };
}

describe('a PDF', () => {
  it('is printed of the filled file, which does not stay', async () => {
    const asked: [PdfRequest, string][] = [];
    const { storage, write } = aWriter(async (request) => {
      asked.push([request, textOf(storage.files.get(request.source.path))]);
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

  it('leaves no file to print when the engine fails', async () => {
    const { storage, write } = aWriter(async () => {
      throw new Error('The engine is gone');
    });

    await expect(write()).rejects.toThrow('The engine is gone');

    expect([...storage.files.keys()]).toEqual(['template.docx']);
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
});
