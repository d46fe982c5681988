import * as z from 'zod';
import { wholeNumber } from '../../../shared/config/values.ts';
import { PDF_ENGINES } from './engines.ts';

/** Properties of the section about printing. */
export const pdfProperties = () => ({
  'pdf-converter': z
    .enum(PDF_ENGINES)
    .default('libreoffice')
    .describe(
      'Engine that makes PDFs: `libreoffice` prints the Word document, `chromium` its HTML page; `none`: PDFs are refused.',
    ),
  'pdf-concurrency': wholeNumber(
    0,
    0,
    1_000,
    'Most documents that are printed at once, reserved for the engine; 0: two on the stage local, elsewhere no limit.',
  ),
});
