import { defineProblems } from '../problems/problem.ts';

/** Problems of file links and uploads, shared by every module that uses files. */
export const fileProblems = defineProblems({
  fileLinkInvalid: {
    code: 'FILE_LINK_INVALID',
    status: 403,
    title: 'The link is not valid',
    describe: () => 'The token is unknown, has expired or is for another method.',
  },
  fileNotFound: {
    code: 'FILE_NOT_FOUND',
    status: 404,
    title: 'File not found',
    describe: () => 'The file of this link has been deleted.',
  },
  uploadMismatch: {
    code: 'UPLOAD_MISMATCH',
    status: 422,
    title: 'The file is not the announced one',
    describe: ({ sizeBytes, sha256 }: { sizeBytes: number; sha256: string }) => ({
      detail: `The upload was announced with ${sizeBytes} bytes and the SHA-256 ${sha256}.`,
      extensions: { sizeBytes, sha256 },
    }),
  },
  rangeNotSatisfiable: {
    code: 'RANGE_NOT_SATISFIABLE',
    status: 416,
    title: 'Range not satisfiable',
    describe: ({ sizeBytes }: { sizeBytes: number }) => ({
      detail: `Range must lie within the ${sizeBytes} bytes of the file: bytes=<from>-<to>.`,
      headers: { 'content-range': `bytes */${sizeBytes}` },
      extensions: { sizeBytes },
    }),
  },
  fileNeedsRange: {
    code: 'FILE_NEEDS_RANGE',
    status: 422,
    title: 'The file is too large for one answer',
    describe: ({ sizeBytes, maxBytes }: { sizeBytes: number; maxBytes: number }) => ({
      detail: `Read the ${sizeBytes} bytes in parts of at most ${maxBytes} with the header Range: bytes=<from>-<to>.`,
      extensions: { sizeBytes, maxBytes },
    }),
  },
});
