import { DocxRefused } from '../../../../shared/docx/index.ts';
import { problems } from '../../errors.ts';

/** What a caller is told of a document that is larger than documents may be. @throws Problem `DOCX_TOO_COMPLEX` (422), or the cause */
export function tooComplex(cause: unknown): never {
  const isTooMuch = cause instanceof DocxRefused && cause.code === 'DOCX_TOO_COMPLEX';
  throw isTooMuch ? problems.docxTooComplex({ detail: cause.detail }) : cause;
}
