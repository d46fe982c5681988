import type { PrintingEngine } from '../../../functions/templates/pdf/engine-function.ts';
import { makeDocx, paragraph } from '../../helpers/docx/make-docx.ts';

const LIMIT_MS = 60_000;
const NEXT_PAGE = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';
const LINE =
  'Bên A và Bên B cùng thỏa thuận ký kết hợp đồng này với các điều khoản sau đây. '.repeat(8);
const job = { at: '2026-01-02T03:04:05.000Z', pdfA: false, tagged: false } as const;

/** A short page. */
export const HTML =
  '<!DOCTYPE html><html lang="vi"><head><title>t</title></head><body>Độc lập</body></html>';

/** A document of some pages, with a field on each. */
export const aDocument = (pages: number, field = 'Ấn'): Buffer =>
  makeDocx({
    body: Array.from({ length: pages }, () =>
      [paragraph(`Kính gửi ${field}`), ...Array.from({ length: 4 }, () => paragraph(LINE))].join(
        '',
      ),
    ).join(NEXT_PAGE),
  });

export const print = (engine: PrintingEngine, format: 'docx' | 'html', bytes: Uint8Array) =>
  engine.print({ ...job, bytes, format }, Date.now() + LIMIT_MS);

export async function time(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
