import * as z from 'zod';
import { fileProblems } from '../../../shared/files/errors.ts';
import { capability, type Route, route } from '../../../shared/http/route.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { EditorConfig } from '../configuration.ts';
import { bearerOf } from '../domain/bearer.ts';
import { problems } from '../errors.ts';
import type { Delivery, FileDelivery } from '../files/file-delivery.ts';
import { FILE_PATH } from '../paths.ts';

export interface FileRouteServices {
  readonly delivery: OnDemand<FileDelivery>;
}

const ANY_FILE = 'application/octet-stream';

const fileHeaders = {
  'content-disposition': 'Name of the file.',
  'accept-ranges': 'bytes',
};

/** The address is a secret, and its document is private. */
const PRIVATE = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
};

const params = lazy(() => z.object({ proxy: z.string().min(1).describe('Path of the file.') }));
const query = lazy(() =>
  z.object({
    accessToken: z
      .string()
      .max(8_192)
      .optional()
      .describe('Token of the file, from the configuration of an editor.'),
  }),
);

/** Documents for the editing server. */
export const fileRoutes = (
  { delivery }: FileRouteServices,
  { docs }: Pick<EditorConfig, 'docs'>,
): Route[] => [
  route({
    operationId: 'downloadDocument',
    method: 'GET',
    path: `${FILE_PATH}/{proxy+}`,
    summary: 'Returns a document to the document server',
    description:
      'Up to 4 MiB the file itself, else the address of a presigned link. Whoever may not download needs a token of the editing server too.',
    access: capability,
    lenient: true,
    ...{ params, query },
    responses: {
      200: {
        description: 'The document',
        contentType: ANY_FILE,
        isBinary: true,
        headers: fileHeaders,
      },
      206: {
        description: 'A part of it',
        contentType: ANY_FILE,
        isBinary: true,
        headers: { ...fileHeaders, 'content-range': 'Position of the part in the file.' },
      },
      302: {
        description: 'It is larger than 4 MiB',
        headers: { location: 'Where it is, for minutes.' },
      },
    },
    problems: [
      httpProblems.unauthenticated,
      problems.accessTokenInvalid,
      problems.documentNotFound,
      problems.documentTooLarge,
      fileProblems.rangeNotSatisfiable,
    ],
    handle: async ({ params: { proxy }, query: { accessToken }, headers }) =>
      toReply(
        await delivery.deliver({
          ...{ path: proxy, accessToken, range: headers.range },
          serverToken: bearerOf(headers[docs.tokenHeader.toLowerCase()]),
        }),
      ),
  }),
];

function toReply(delivery: Delivery) {
  if (delivery.kind === 'link') {
    return { status: 302, headers: { ...PRIVATE, location: delivery.location } };
  }
  const { body, contentType, disposition, contentRange } = delivery;
  return {
    status: contentRange === undefined ? 200 : 206,
    body,
    headers: {
      ...PRIVATE,
      'content-type': contentType,
      'content-disposition': disposition,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      ...(contentRange !== undefined && { 'content-range': contentRange }),
    },
  };
}
