export type DocxRefusal =
  | 'INVALID_DOCX'
  | 'ENCRYPTED_DOCX'
  | 'MACROS_NOT_ALLOWED'
  | 'DOCX_TOO_COMPLEX'
  | 'UNSUPPORTED_FILE_TYPE';

/** A file that is not taken: the problem code, and a sentence that names the part and the rule. */
export class DocxRefused extends Error {
  readonly code: DocxRefusal;
  readonly detail: string;

  constructor(code: DocxRefusal, detail: string) {
    super(`${code}: ${detail}`);
    this.name = 'DocxRefused';
    this.code = code;
    this.detail = detail;
  }
}
