import * as z from 'zod';
import { publicAccess, type Route, route } from '../../../shared/http/route.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import type { ApiDescription } from './openapi-service.ts';

const FILE_NAME = /^[a-z0-9-]+\.(?:js|css|png)$/;
const caching = {
  'cache-control': 'How long it may be kept.',
  etag: 'Checksum; send it back in If-None-Match.',
};

/** The routes of the API description and its reference page: public, like the interface they describe. */
export function openApiRoutes(api: OnDemand<ApiDescription>): Route[] {
  return [
    route({
      operationId: 'getOpenApi',
      method: 'GET',
      path: '/api/v1/openapi.json',
      summary: 'Describes the interface as it is deployed, in OpenAPI 3.1',
      access: publicAccess,
      responses: {
        200: {
          description: 'The document',
          schema: () => z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
          headers: caching,
          example: { openapi: '3.1.1', info: { title: 'svc-cloud', version: '0.1.0' }, paths: {} },
        },
        304: { description: 'Unchanged', headers: caching },
      },
      handle: ({ headers }) => api.document(headers),
    }),
    route({
      operationId: 'getReference',
      method: 'GET',
      path: '/api/v1/reference',
      summary: 'Shows the interface as a page to read and to try out',
      access: publicAccess,
      // Browsers come here with what others have added, such as the code of a login.
      lenient: true,
      responses: {
        200: { description: 'The page', contentType: 'text/html', headers: caching },
        304: { description: 'Unchanged', headers: caching },
      },
      handle: ({ headers }) => api.page(headers),
    }),
    route({
      operationId: 'getReferenceFile',
      method: 'GET',
      path: '/api/v1/reference/{file}',
      summary: 'Serves a script, style sheet or picture of the reference page',
      access: publicAccess,
      params: () =>
        z.strictObject({
          file: z
            .string()
            .max(100)
            .regex(FILE_NAME, 'must be the name of a js, css or png file')
            .meta({ examples: ['reference.css', 'reference.js'] }),
        }),
      responses: {
        200: {
          description: 'The file',
          contentType: 'text/javascript',
          otherContent: { 'text/css': {}, 'image/png': {} },
          headers: caching,
        },
        304: { description: 'Unchanged', headers: caching },
      },
      handle: ({ params: { file }, headers }) => api.file(file, headers),
    }),
  ];
}
