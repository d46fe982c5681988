import { problems } from '../../errors.ts';
import { pdfProblems } from '../../pdf/errors.ts';

/** Why a document is not made of a template. */
export const DOCUMENT_PROBLEMS = [
  problems.templateNotFound,
  problems.fileVersionNotFound,
  problems.templateNotActive,
  problems.templateFileMissing,
  pdfProblems.pdfNotAvailable,
  pdfProblems.pdfTooLong,
  pdfProblems.renderFailed,
  pdfProblems.renderTimeout,
  pdfProblems.renderBusy,
];
