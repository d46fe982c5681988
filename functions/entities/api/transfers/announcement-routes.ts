import * as z from 'zod';
import { created, ok, type Reply } from '../../../../shared/http/reply.ts';
import type { Route } from '../../../../shared/http/route.ts';
import { type Lazily, lazy } from '../../../../shared/primitives/lazy.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import { problems } from '../../errors.ts';
import { type DeclareEntityRoute, pathBelow, type RecordRoutePlace } from '../entity-route.ts';
import { entityParams, instant } from '../record-schemas.ts';

/** SHA-256 of a file that is to be uploaded. */
export const sha256 = lazy(() =>
  z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
    .describe('SHA-256 of the file in hexadecimal.'),
);

export const uploadParams = lazy(() => entityParams().extend({ uploadId: z.uuid() }));

/** Where an announced file goes; left out when it is there. */
export const uploadTarget = lazy(() =>
  z
    .object({
      method: z.literal('PUT'),
      url: z.string(),
      headers: z.record(z.string(), z.string()).describe('To be sent as they are.'),
      expiresAt: instant(),
    })
    .optional()
    .describe('How to upload the file; only while it is waited for.'),
);

/** The example of an upload target. @param path of the object in the bucket */
export const exampleTarget = (path: string, contentType: string) => ({
  method: 'PUT',
  url: `https://bucket.s3.eu-central-1.amazonaws.com/entities/${path}?X-Amz-Signature=0`,
  headers: { 'content-type': contentType, 'x-amz-checksum-sha256': 'n4bQgYhM' },
  expiresAt: '2026-03-01T09:45:00.000Z',
});

/** Files that are announced, then uploaded by a link. */
interface Announcements<B extends z.ZodType> {
  readonly operations: { readonly announce: string; readonly status: string };
  /** Path below the entity. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly body: Lazily<B>;
  readonly bodyExample: unknown;
  /** The announcement as an answer. */
  readonly announced: Lazily<z.ZodType>;
  readonly example: unknown;
  announce(model: EntityModel, body: z.output<B>, principal: Principal): Promise<Announced>;
  status(model: EntityModel, id: string, principal: Principal): Promise<Announced>;
}

interface Announced {
  readonly id: string;
}

/** The routes that announce a file and say whether it is there. */
export function announcementRoutes<B extends z.ZodType>(
  declare: DeclareEntityRoute,
  place: RecordRoutePlace,
  given: Announcements<B>,
): Route[] {
  const { operations, path, summary, description, body, bodyExample, example } = given;
  const shown = { schema: given.announced, example };
  const createdAt = (entityName: string, announced: Announced): Reply =>
    created(pathBelow(place, entityName, `${path}/${announced.id}`), announced);
  return [
    declare({
      ...{ operationId: operations.announce, method: 'POST', path },
      ...{ summary, params: entityParams, body, bodyExample },
      description: `${description} A repetition with the same \`Idempotency-Key\` gives the same announcement, with a new link while the file is waited for.`,
      idempotent: true,
      responses: {
        201: {
          description: 'The announcement with its link',
          headers: { location: 'The announcement.' },
          ...shown,
        },
      },
      problems: [problems.uploadNotFound],
      handle: async (model, input) => {
        const announced = await given.announce(model, input.body, input.principal);
        return { ...createdAt(input.params.entityCode, announced), kept: { id: announced.id } };
      },
      // A link is never kept: whoever repeats the call gets one of his own, if he still may.
      replay: async (model, kept, { params, principal }) =>
        createdAt(params.entityCode, await given.status(model, (kept as Announced).id, principal)),
    }),
    declare({
      ...{ operationId: operations.status, method: 'GET', path: `${path}/{uploadId}` },
      summary: 'Says whether an announced file is there, and gives a new link while it is not',
      params: uploadParams,
      responses: { 200: { description: 'The announcement', ...shown } },
      problems: [problems.uploadNotFound],
      handle: async (model, { params, principal }) =>
        ok(await given.status(model, params.uploadId, principal)),
    }),
  ];
}
