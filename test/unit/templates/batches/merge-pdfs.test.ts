import { PDFContext, PDFDocument, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import { describe, expect, it, vi } from 'vitest';
import { BatchFile } from '../../../../functions/templates/batches/batch-file.ts';
import { mergePdfs } from '../../../../functions/templates/batches/merge-pdfs.ts';
import type { Generation } from '../../../../functions/templates/domain/documents/generation.ts';
import type { TemplateJob } from '../../../../functions/templates/jobs/template-jobs.ts';
import type { Files } from '../../../../shared/files/files.ts';
import { JobFailure } from '../../../../shared/jobs/job.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { readPdf } from '../../../helpers/templates/read-pdf.ts';

const AT = new Date('2026-03-01T09:30:00Z');

async function aPdf(...pages: string[]): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  for (const text of pages) pdf.addPage([200, 100]).drawText(text, { x: 10, y: 50, size: 12 });
  return pdf.save();
}

async function* each(...pdfs: Uint8Array[]) {
  yield* pdfs;
}

const textsOf = async (pdf: Uint8Array) =>
  (await readPdf(pdf)).map(({ text }) => text.replaceAll(/\s+/g, ''));

/** A batch of PDFs that are generated, before they become one file. */
async function aBatch(sizeBytes?: number, pdfs?: readonly Uint8Array[]) {
  const storage = memoryStorage();
  pdfs ??= [await aPdf('A1', 'A2'), await aPdf('B1')];
  const generations = new Map<string, Generation>();
  for (const [index, bytes] of pdfs.entries()) {
    const path = `documents/generations/t/${index}/1.pdf`;
    storage.files.set(path, bytes);
    const output = { path, contentType: '', sizeBytes: sizeBytes ?? bytes.length, hash: '' };
    generations.set(String(index), { output, fileName: 'x.pdf' } as Generation);
  }
  const step = new BatchFile({
    batches: {
      between: async () =>
        pdfs.map((_, index) => ({ index, status: 'GENERATED', generationId: String(index) })),
    },
    generations: { find: async (_, id) => generations.get(id) },
    files: {
      read: storage.get,
      write: storage.put,
    } as Pick<Files, 'read' | 'write'> as Files,
  });
  const job = {
    ...{ id: 'j', subject: 't', createdAt: AT.toISOString(), result: {} },
    ...{ input: { file: 'PDF', total: 2 }, progress: { next: 2 } },
  } as unknown as TemplateJob;
  return { storage, run: () => step.step(job) };
}

describe('one PDF of many', () => {
  it('has all pages in their order', async () => {
    const whole = await mergePdfs(each(await aPdf('A1', 'A2'), await aPdf('B1')), AT);

    expect(await textsOf(whole)).toEqual(['A1', 'A2', 'B1']);
  });

  it('is the same for the same documents', async () => {
    const [one, other] = [await aPdf('A'), await aPdf('B')];

    const first = await mergePdfs(each(one, other), AT);
    const second = await mergePdfs(each(one, other), AT);

    expect(Buffer.compare(first, second)).toBe(0);
  });

  it('is the file of a batch', async () => {
    const { storage, run } = await aBatch();

    const outcome = await run();

    const file = storage.files.get('documents/batches/t/j.pdf') ?? new Uint8Array();
    expect(outcome).toEqual({
      isDone: true,
      result: { object: 'documents/batches/t/j.pdf', bytes: file.length },
    });
    expect(await textsOf(file)).toEqual(['A1', 'A2', 'B1']);
  });

  it('costs as much for a page as for the one before', async () => {
    const pdf = await aPdf(...Array.from({ length: 100 }, (_, at) => `Page ${at}`));
    const lookup = vi.spyOn(PDFContext.prototype, 'lookup');
    const lookupsOf = async (parts: number) => {
      lookup.mockClear();
      await mergePdfs(each(...Array.from({ length: parts }, () => pdf)), AT);
      return lookup.mock.calls.length;
    };

    const [few, many] = [await lookupsOf(2), await lookupsOf(8)];

    lookup.mockRestore();
    expect(many / few).toBeLessThan(5);
  });

  it('is refused when its documents have more objects together than fit the memory', async () => {
    const pdf = await PDFDocument.create();
    const objects = Array.from({ length: 80_000 }, () => pdf.context.register(PDFNumber.of(1)));
    pdf.addPage([200, 100]).node.set(PDFName.of('PieceInfo'), pdf.context.obj(objects));
    const options = { useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY };
    const one = await pdf.save(options);
    const { storage, run } = await aBatch(one.length, [one, one]);

    await expect(run()).rejects.toMatchObject({ result: { code: 'BATCH_TOO_LARGE' } });
    expect([...storage.files.keys()].join()).not.toContain('batches');
  });

  it('is refused when its documents do not fit the memory together', async () => {
    const { storage, run } = await aBatch(40 * 1_024 * 1_024);

    const step = run();

    await expect(step).rejects.toThrow(JobFailure);
    await expect(step).rejects.toMatchObject({ result: { code: 'BATCH_TOO_LARGE' } });
    expect([...storage.files.keys()].join()).not.toContain('batches');
  });
});
