import { problems } from '../../errors.ts';

/** Why a document is not made of a template. */
export const DOCUMENT_PROBLEMS = [
  problems.templateNotFound,
  problems.fileVersionNotFound,
  problems.templateNotActive,
  problems.templateFileMissing,
  problems.docxTooComplex,
  problems.pdfNotAvailable,
  problems.pdfOptionNotSupported,
  problems.pdfTooLong,
  problems.renderFailed,
  problems.renderTimeout,
  problems.renderBusy,
];
