import { defineProblems, type ProblemItem } from '../../shared/problems/problem.ts';

const list = (errors: readonly ProblemItem[]): string =>
  errors
    .slice(0, 3)
    .map(({ pointer, detail }) => `${pointer} ${detail}`)
    .join('; ');

/** The problems of the templates module. */
export const problems = defineProblems({
  templateNotFound: {
    code: 'TEMPLATE_NOT_FOUND',
    status: 404,
    title: 'Template not found',
    describe: ({ template }: { template: string }) => `There is no template ${template}.`,
  },
  templateCodeExists: {
    code: 'TEMPLATE_CODE_EXISTS',
    status: 409,
    title: 'Code of a template already in use',
    describe: ({ code }: { code: string }) =>
      `A template has the code ${code}; that of a deleted one stays reserved.`,
  },
  templateDeleted: {
    code: 'TEMPLATE_DELETED',
    status: 409,
    title: 'Template is deleted',
    describe: ({ id }: { id: string }) => `The template ${id} is deleted and cannot be changed.`,
  },
  templateFileMissing: {
    code: 'TEMPLATE_FILE_MISSING',
    status: 409,
    title: 'Template has no file',
    describe: ({ id }: { id: string }) => `Upload a file for the template ${id} first.`,
  },
  fileVersionNotFound: {
    code: 'FILE_VERSION_NOT_FOUND',
    status: 404,
    title: 'Version of a file not found',
    describe: ({ id, fileVersion }: { id: string; fileVersion: number }) =>
      fileVersion === 0
        ? `No file has been uploaded for the template ${id}.`
        : `The file of the template ${id} has no version ${fileVersion}.`,
  },
  unsupportedFileType: {
    code: 'UNSUPPORTED_FILE_TYPE',
    status: 415,
    title: 'Not a Word document (DOCX)',
  },
  invalidDocx: { code: 'INVALID_DOCX', status: 422, title: 'Word document cannot be read' },
  encryptedDocx: { code: 'ENCRYPTED_DOCX', status: 422, title: 'Word document is encrypted' },
  macrosNotAllowed: {
    code: 'MACROS_NOT_ALLOWED',
    status: 422,
    title: 'Word document has macros',
  },
  docxTooComplex: {
    code: 'DOCX_TOO_COMPLEX',
    status: 422,
    title: 'Word document is too large or too complex',
  },
  apiSourceNotSupported: {
    code: 'API_SOURCE_NOT_SUPPORTED',
    status: 422,
    title: 'Merge fields take no values from an API',
    describe: (errors: readonly ProblemItem[]) => ({ detail: list(errors), errors }),
  },
  mergeFieldsInvalid: {
    code: 'MERGE_FIELDS_INVALID',
    status: 422,
    title: 'Merge fields break a rule',
    describe: (errors: readonly ProblemItem[]) => ({ detail: list(errors), errors }),
  },
  builtinNotFound: {
    code: 'BUILTIN_NOT_FOUND',
    status: 404,
    title: 'Builtin merge field not found',
    describe: ({ code }: { code: string }) => `There is no builtin merge field ${code}.`,
  },
  builtinExists: {
    code: 'BUILTIN_EXISTS',
    status: 409,
    title: 'Code of a builtin merge field already in use',
    describe: ({ code }: { code: string }) =>
      `The tenant has a constant ${code}; letters of codes count in any case.`,
  },
  builtinIsSystem: {
    code: 'BUILTIN_IS_SYSTEM',
    status: 409,
    title: 'Builtin merge field of the platform',
    describe: ({ code }: { code: string }) =>
      `${code} comes with the platform and cannot be changed.`,
  },
  tooManyConstants: {
    code: 'TOO_MANY_CONSTANTS',
    status: 409,
    title: 'Too many constants',
    describe: ({ max }: { max: number }) => `A tenant has at most ${max} constants.`,
  },
});
