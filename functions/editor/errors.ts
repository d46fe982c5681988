import { defineProblems } from '../../shared/problems/problem.ts';

/** Problems of the editor's own routes. */
export const problems = defineProblems({
  documentNotFound: {
    code: 'DOCS_FILE_NOT_FOUND',
    status: 404,
    title: 'Document not found',
    describe: () => 'There is no such document.',
  },
  documentTypeUnsupported: {
    code: 'DOCS_FILE_TYPE_UNSUPPORTED',
    status: 415,
    title: 'File type is not supported by the editor',
    describe: ({ extension }: { extension: string }) => ({
      detail:
        extension === ''
          ? 'The name of the document has no extension.'
          : `No editor opens documents with the extension ${extension}.`,
      extensions: { extension },
    }),
  },
  documentTooLarge: {
    code: 'DOCS_FILE_TOO_LARGE',
    status: 422,
    title: 'Document is too large for its storage',
    describe: ({ sizeBytes, maxBytes }: { sizeBytes: number; maxBytes: number }) => ({
      detail: `The document has ${sizeBytes} bytes; of a storage without links at most ${maxBytes} are opened.`,
      extensions: { sizeBytes, maxBytes },
    }),
  },
  accessTokenInvalid: {
    code: 'ACCESS_TOKEN_INVALID',
    status: 403,
    title: 'The access token is not valid',
    describe: () => 'The token is unknown, has expired or is for another file.',
  },
  contextTokenInvalid: {
    code: 'DOCS_CONTEXT_INVALID',
    status: 403,
    title: 'The context token is not valid',
  },
  callbackTokenInvalid: {
    code: 'DOCS_CALLBACK_TOKEN_INVALID',
    status: 403,
    title: 'The token of the editing server is not valid',
  },
  callbackInvalid: {
    code: 'DOCS_CALLBACK_INVALID',
    status: 400,
    title: 'The callback is not valid',
    describe: ({ reason }: { reason: string }) => reason,
  },
  saveTooLarge: {
    code: 'DOCS_SAVE_TOO_LARGE',
    status: 413,
    title: 'The document is too large to be saved',
    describe: ({ maxBytes }: { maxBytes: number }) => ({
      detail: `At most ${maxBytes} bytes are saved.`,
      extensions: { maxBytes },
    }),
  },
  saveNotPossible: {
    code: 'DOCS_SAVE_UNAVAILABLE',
    status: 503,
    title: 'The document cannot be saved now',
  },
  sessionNotFound: {
    code: 'DOCS_SESSION_NOT_FOUND',
    status: 404,
    title: 'Document was not opened',
    describe: () => 'The document has no sessions.',
  },
  versionNotFound: {
    code: 'DOCS_VERSION_NOT_FOUND',
    status: 404,
    title: 'Version not found',
    describe: ({ version }: { version: number }) => `The document has no version ${version}.`,
  },
  versionGone: {
    code: 'DOCS_VERSION_GONE',
    status: 410,
    title: 'The content of the version is gone',
    describe: ({ version }: { version: number }) =>
      `The storage does not have the content of version ${version} any more.`,
  },
  documentClosed: {
    code: 'DOCS_DOCUMENT_CLOSED',
    status: 409,
    title: 'The document cannot be changed',
    describe: () => 'It is finalized, cancelled or deleted.',
  },
  documentOpen: {
    code: 'DOCS_DOCUMENT_OPEN',
    status: 409,
    title: 'The document is being edited',
    describe: ({ users }: { users: readonly string[] }) => ({
      detail: 'Close it first (:close), and wait until what was edited is saved.',
      extensions: { users },
    }),
  },
  documentChanged: {
    code: 'DOCS_DOCUMENT_CHANGED',
    status: 409,
    title: 'The document was changed at the same time',
    describe: () => 'Nothing was restored: read the versions again.',
  },
  serverUnavailable: {
    code: 'DOCS_SERVER_UNAVAILABLE',
    status: 502,
    title: 'The document server is unavailable or gave an unexpected answer',
    describe: ({ code }: { code: string }) => ({
      detail: `The command was not carried out: ${code}.`,
      extensions: { reason: code },
    }),
  },
});
