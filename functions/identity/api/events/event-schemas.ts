import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { EVENT_STATUSES } from '../../domain/events/event-record.ts';
import { ACTION_TYPES, OBJECT_TYPES } from '../../domain/runs/history.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));

export const codeParams = lazy(() => z.strictObject({ code: z.string().min(1).max(100) }));

export const eventQuery = (web: PageLimits) =>
  z.strictObject({
    ...pageQuery(web),
    identitySourceId: z.uuid(),
    status: z.enum(EVENT_STATUSES).optional(),
  });

/** The body of a signed webhook; a token has the content type of its own. */
export const eventBody = lazy(() =>
  z
    .object({
      type: z
        .string()
        .describe(
          'user or organization, a dot, and created, updated, deleted, activated or deactivated.',
        ),
      objectId: z.string().describe('Id of the object at the source.'),
      occurredAt: z.string().optional(),
      data: z.unknown().optional().describe('Not read: the object is read at the source.'),
    })
    .meta({ id: 'IdentityEvent' }),
);

export const receipt = lazy(() =>
  z.object({ eventId: z.string(), duplicate: z.boolean() }).meta({ id: 'IdentityEventReceipt' }),
);

export const eventError = lazy(() =>
  z
    .object({ err: z.string().describe('As RFC 8935 names them.'), description: z.string() })
    .meta({ id: 'IdentityEventError' }),
);

const event = lazy(() =>
  z
    .object({
      id: z.string(),
      identitySourceId: z.string(),
      eventType: z.string(),
      actionType: z.enum(ACTION_TYPES).nullable(),
      objectType: z.enum(OBJECT_TYPES),
      externalId: z.string(),
      objectId: z.string().nullable(),
      objectName: z.string().nullable(),
      eventTime: instant(),
      receiveTime: instant(),
      status: z.enum(EVENT_STATUSES),
      desc: z.string().nullable(),
      attempts: z.int().min(0),
    })
    .meta({ id: 'IdentityEventRecord' }),
);

export const eventPage = lazy(() => pageSchema(event(), 'IdentityEventRecordPage'));
