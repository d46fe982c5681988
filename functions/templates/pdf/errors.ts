import { defineProblems } from '../../../shared/problems/problem.ts';

/** The problems of printing documents. */
export const pdfProblems = defineProblems({
  pdfNotAvailable: {
    code: 'PDF_NOT_AVAILABLE',
    status: 422,
    title: 'PDF output is not available',
    describe: ({ format }: { format: string }) =>
      `This installation makes no PDF of ${format}: svc.template.pdf-converter names the engine.`,
  },
  pdfOptionNotSupported: {
    code: 'PDF_OPTION_NOT_SUPPORTED',
    status: 422,
    title: 'PDF option not supported',
    describe: ({ option, engine }: { option: string; engine: string }) =>
      `The engine ${engine} has no ${option}.`,
  },
  pdfTooLong: {
    code: 'PDF_TOO_LONG',
    status: 422,
    title: 'Document too long',
    describe: ({ pages, maxPages }: { pages: number; maxPages: number }) =>
      `The document has ${pages} pages, a PDF at most ${maxPages}.`,
  },
  renderFailed: {
    code: 'RENDER_FAILED',
    status: 502,
    title: 'Rendering failed',
    describe: () => 'The engine could not print the document.',
  },
  renderTimeout: {
    code: 'RENDER_TIMEOUT',
    status: 504,
    title: 'Rendering timed out',
    describe: () => 'The engine did not print the document in time.',
  },
  renderBusy: {
    code: 'RENDER_BUSY',
    status: 503,
    title: 'All rendering engines are busy',
    describe: ({ retryAfterSeconds }: { retryAfterSeconds: number }) => ({
      detail: `Every engine prints another document, or is still starting; try again in ${retryAfterSeconds} s.`,
      headers: { 'retry-after': String(retryAfterSeconds) },
    }),
  },
});
