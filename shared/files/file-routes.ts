import { createHash } from 'node:crypto';
import * as z from 'zod';
import { noContent, type Reply } from '../http/reply.ts';
import { capability, type Route, route } from '../http/route.ts';
import { lazy } from '../primitives/lazy.ts';
import { readByteRange } from './byte-range.ts';
import { contentDisposition } from './content-disposition.ts';
import { fileProblems as problems } from './errors.ts';
import type { FileLinkFacts, FileLinks } from './file-links.ts';
import { type Files, MAX_PIECE_BYTES } from './files.ts';
import { readFirst } from './read-bounded.ts';

const ANY_FILE = 'application/octet-stream';

/** A browser shows files of callers under the origin of the API, so they may run no script and send nothing. */
const FILE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const query = lazy(() =>
  z.strictObject({
    token: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('The token of the link.'),
  }),
);

const binary = lazy(() =>
  z.custom<Buffer>((value) => Buffer.isBuffer(value)).meta({ type: 'string', format: 'binary' }),
);

const fileHeaders = {
  'content-disposition': 'Name of the file.',
  'accept-ranges': 'bytes',
  'content-security-policy': 'Lets run nothing that is in the file.',
};

export interface FileRouteServices {
  readonly files: Files;
  readonly links: FileLinks;
}

/**
 * The routes behind file links of a storage without links of its own. Bucket links are presigned and never use them.
 * @param path path of the routes, the same as in the links.
 * @param suffix ends the operation ids, such as `Entities`.
 */
export function fileRoutes(path: string, suffix: string, to: FileRouteServices): Route[] {
  return [
    route({
      operationId: `downloadFile${suffix}`,
      method: 'GET',
      path,
      summary: 'Downloads the file of a link',
      description:
        'Links of a host storage that makes none of its own lead here. Files above 4.5 MB are read in parts, with `Range: bytes=<from>-<to>`.',
      access: capability,
      query,
      responses: {
        200: { description: 'The file', contentType: ANY_FILE, headers: fileHeaders },
        206: {
          description: 'A part of it',
          contentType: ANY_FILE,
          headers: { ...fileHeaders, 'content-range': 'Position of the part in the file.' },
        },
      },
      problems: [
        problems.fileLinkInvalid,
        problems.fileNotFound,
        problems.rangeNotSatisfiable,
        problems.fileNeedsRange,
      ],
      handle: async ({ query: { token }, headers: { range } }) =>
        download(await factsOf(to.links, token, 'download'), range, to.files),
    }),
    route({
      operationId: `uploadFile${suffix}`,
      method: 'PUT',
      path,
      summary: 'Uploads the file of a link',
      description: 'Takes exactly the size and SHA-256 that the link was made for.',
      access: capability,
      query,
      body: binary,
      bodyExample: 'name\r\nAn\r\n',
      consumes: [ANY_FILE],
      maxBodyBytes: MAX_PIECE_BYTES,
      responses: { 204: { description: 'The file is stored' } },
      problems: [problems.fileLinkInvalid, problems.uploadMismatch],
      handle: async ({ query: { token }, body }) =>
        upload(await factsOf(to.links, token, 'upload'), body, to.files),
    }),
  ];
}

async function factsOf<K extends FileLinkFacts['kind']>(
  links: FileLinks,
  token: string,
  kind: K,
): Promise<Extract<FileLinkFacts, { kind: K }>> {
  const facts = await links.find(token);
  if (!isOfKind(facts, kind)) throw problems.fileLinkInvalid();
  return facts;
}

const isOfKind = <K extends FileLinkFacts['kind']>(
  facts: FileLinkFacts | undefined,
  kind: K,
): facts is Extract<FileLinkFacts, { kind: K }> => facts?.kind === kind;

async function download(
  { path, fileName, contentType, isInline }: Extract<FileLinkFacts, { kind: 'download' }>,
  rangeHeader: string | undefined,
  files: Files,
): Promise<Reply> {
  const facts = await files.facts(path);
  if (!facts) throw problems.fileNotFound();
  const { sizeBytes } = facts;
  const range = readByteRange(rangeHeader, sizeBytes, MAX_PIECE_BYTES);
  if (range === 'unsatisfiable') throw problems.rangeNotSatisfiable({ sizeBytes });
  if (!range && sizeBytes > MAX_PIECE_BYTES) {
    throw problems.fileNeedsRange({ sizeBytes, maxBytes: MAX_PIECE_BYTES });
  }
  const { from, to } = range ?? { from: 0, to: sizeBytes - 1 };
  const file = await files.open(path, from);
  if (!file) throw problems.fileNotFound();
  return {
    status: range ? 206 : 200,
    body: await readFirst(file.bytes, to - from + 1),
    headers: {
      'content-type': contentType ?? (facts.contentType || ANY_FILE),
      'content-disposition': contentDisposition(fileName, isInline),
      'accept-ranges': 'bytes',
      'content-security-policy': FILE_POLICY,
      ...(range ? { 'content-range': `bytes ${from}-${to}/${sizeBytes}` } : {}),
    },
  };
}

async function upload(
  { path, contentType, sizeBytes, sha256 }: Extract<FileLinkFacts, { kind: 'upload' }>,
  body: Buffer,
  files: Files,
): Promise<Reply> {
  const found = createHash('sha256').update(body).digest('hex');
  if (body.length !== sizeBytes || found !== sha256.toLowerCase()) {
    throw problems.uploadMismatch({ sizeBytes, sha256 });
  }
  await files.write(path, body, contentType);
  return noContent();
}
