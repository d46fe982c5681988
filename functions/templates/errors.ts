import { defineProblems, type ProblemItem } from '../../shared/problems/problem.ts';
import { pdfProblems } from './pdf/errors.ts';

const list = (errors: readonly ProblemItem[]): string =>
  errors
    .slice(0, 3)
    .map(({ pointer, detail }) => `${pointer} ${detail}`)
    .join('; ');

const templateProblems = defineProblems({
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
    title: 'Merge fields with values from an API are not supported',
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
    title: 'Builtin merge fields of the platform cannot be changed',
    describe: ({ code }: { code: string }) =>
      `${code} comes with the platform and cannot be changed.`,
  },
  tooManyConstants: {
    code: 'TOO_MANY_CONSTANTS',
    status: 409,
    title: 'Too many constants',
    describe: ({ max }: { max: number }) => `A tenant has at most ${max} constants.`,
  },
  templateNotActive: {
    code: 'TEMPLATE_NOT_ACTIVE',
    status: 409,
    title: 'Template is not active',
    describe: ({ id }: { id: string }) => `Nothing is generated from the deleted template ${id}.`,
  },
  requiredFieldMissing: {
    code: 'REQUIRED_FIELD_MISSING',
    status: 422,
    title: 'Required merge field has no value',
    describe: (names: readonly string[]) => ({
      detail: `No value for ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', ...' : ''}.`,
      errors: names.slice(0, 100).map((name) => ({
        pointer: `/entityData/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        code: 'REQUIRED_FIELD_MISSING',
        detail: 'has no value, and the field is required',
      })),
    }),
  },
  generationNotFound: {
    code: 'GENERATION_NOT_FOUND',
    status: 404,
    title: 'Generation not found',
    describe: ({ id }: { id: string }) => `The template has no generation ${id}.`,
  },
  generationInProgress: {
    code: 'GENERATION_IN_PROGRESS',
    status: 409,
    title: 'Document is being generated',
    describe: ({ id }: { id: string }) => ({
      detail: `Another call generates ${id}; ask again.`,
      headers: { 'retry-after': '2' },
      extensions: { generationId: id },
    }),
  },
  generationCancelled: {
    code: 'GENERATION_CANCELLED',
    status: 409,
    title: 'Generation is cancelled',
    describe: ({ id }: { id: string }) =>
      `The generation ${id} was cancelled while it was rendered.`,
  },
  generationFinalized: {
    code: 'GENERATION_FINALIZED',
    status: 409,
    title: 'Generation is finalized',
    describe: ({ id }: { id: string }) => `The generation ${id} is finalized and stays.`,
  },
  generationNotReady: {
    code: 'GENERATION_NOT_READY',
    status: 409,
    title: 'Generation has no output',
    describe: ({ id, status }: { id: string; status: string }) =>
      `The generation ${id} is ${status}; only a generated document is finalized.`,
  },
  outputFormatNotSupported: {
    code: 'OUTPUT_FORMAT_NOT_SUPPORTED',
    status: 422,
    title: 'Format is not supported',
    describe: ({ format }: { format: string }) =>
      `Approved content becomes DOCX or PDF, not ${JSON.stringify(format.slice(0, 20))}.`,
  },
  approvalHashMismatch: {
    code: 'APPROVAL_HASH_MISMATCH',
    status: 422,
    title: 'Content differs from what was approved',
    describe: () => 'The hash of title and blocks is not approvalHash.',
  },
  batchNotFound: {
    code: 'BATCH_NOT_FOUND',
    status: 404,
    title: 'Batch not found',
    describe: ({ id }: { id: string }) => `The template has no batch ${id}.`,
  },
  batchEnded: {
    code: 'BATCH_ENDED',
    status: 409,
    title: 'Batch has ended',
    describe: ({ id }: { id: string }) => `The batch ${id} has ended and cannot be cancelled.`,
  },
});

/** The problems of the templates module. */
export const problems = { ...templateProblems, ...pdfProblems };
