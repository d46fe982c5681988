import * as z from 'zod';
import { type pageQuery, pageSchema } from '../../shared/http/paging.ts';
import { lazy } from '../../shared/primitives/lazy.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
/** An instant with any offset, read as UTC. */
const anyInstant = lazy(() =>
  z.iso
    .datetime({ offset: true })
    .transform((written) => new Date(written).toISOString())
    .refine((utc) => /^\d{4}-/.test(utc), 'must be in the years 0 to 9999 of UTC'),
);
const text = (max: number) => z.string().min(1).max(max);

const filters = lazy(() => ({
  topic: text(128).optional().describe('Only this topic.'),
  group: text(40).optional().describe('Only this consumer group.'),
  source: z
    .enum(['outbox', 'consumer'])
    .optional()
    .describe('outbox: could not be sent; consumer: could not be processed.'),
  key: text(512).optional().describe('Only this business key.'),
  messageId: text(512).optional().describe('Only this messageId.'),
  from: anyInstant().optional().describe('Died at or after this instant.'),
  to: anyInstant().optional().describe('Died before this instant.'),
}));

type Window = { readonly from?: string | undefined; readonly to?: string | undefined };

/** Refuses a window that ends before it begins, and names both ends. */
function checkWindow(
  { from, to }: Window,
  { addIssue }: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  if (from === undefined || to === undefined || from <= to) return;
  const params = { code: 'WINDOW_REVERSED' };
  addIssue({ code: 'custom', path: ['from'], params, message: 'must not be later than to' });
  addIssue({ code: 'custom', path: ['to'], params, message: 'must not be earlier than from' });
}

/** Query parameters of the list. */
export const deadLetterQuery = (paging: ReturnType<typeof pageQuery>) =>
  z.strictObject({ ...paging, ...filters() }).superRefine(checkWindow);

export const deadLetterParams = lazy(() =>
  z.strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,1024}$/, 'must contain only letters, digits, ., _ and -')
      .describe('Id of the dead letter, as the list gives it.'),
  }),
);

const keptError = lazy(() => z.object({ code: z.string(), message: z.string() }));

const summary = lazy(() => ({
  id: z.string(),
  messageId: z.string(),
  source: z.enum(['outbox', 'consumer']),
  topic: z.string(),
  key: z.string().nullable(),
  group: z.string().nullable().describe('null when the message could not be sent.'),
  status: z.literal('DEAD'),
  attempts: z.int().min(0),
  requeueCount: z.int().min(0),
  createdAt: instant(),
  deadAt: instant(),
  lastError: keptError(),
  traceId: z.string().nullable(),
  size: z.int().min(0).describe('Bytes of the payload.'),
}));

export const deadLetterPage = lazy(() =>
  pageSchema(z.object(summary()).meta({ id: 'DeadLetter' }), 'DeadLetterPage'),
);

export const deadLetterDetail = lazy(() =>
  z
    .object({
      ...summary(),
      headers: z.record(z.string(), z.string()),
      payload: z
        .unknown()
        .describe(
          'Values whose names say that they are secret are hidden. Of a text that cannot be looked into, size and sha256 are shown, unless the caller has mq:dead-letter:reveal.',
        ),
    })
    .meta({ id: 'DeadLetterDetail' }),
);

export const requeueAccepted = lazy(() =>
  z.object({ id: z.string(), status: z.literal('PENDING') }),
);

export const requeueBody = lazy(() =>
  z.union([
    z.strictObject({ ids: z.array(deadLetterParams().shape.id).min(1).max(100) }),
    z.strictObject({
      filter: z.strictObject(filters()).superRefine(checkWindow),
      limit: z.int().min(1).max(1_000).default(1_000),
      cursor: text(2_048)
        .optional()
        .describe('nextCursor of the call before, which had the same filter and limit.'),
    }),
  ]),
);

export const requeueReport = lazy(() =>
  z.object({
    requeued: z.int().min(0),
    skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
    remaining: z.boolean().describe('Whether more dead letters may match than were looked at.'),
    nextCursor: z
      .string()
      .optional()
      .describe(
        'Repeat the call with it as cursor, to go on behind what was skipped or does not match. Absent: repeat the call as it was.',
      ),
  }),
);

export const discardQuery = lazy(() =>
  z.strictObject({
    reason: text(200).optional().describe('Why the message is given up; kept with it.'),
  }),
);

export const dispatchQuery = lazy(() =>
  z.strictObject({
    topic: text(128).describe('Topic whose listeners get the message.'),
  }),
);

export const dispatchBody = lazy(() =>
  z.strictObject({
    messageId: text(512)
      .optional()
      .describe(
        'Left out: a new one, or with an Idempotency-Key always the same. Repeat a call with the same one.',
      ),
    key: text(512).nullable().optional(),
    payload: z.json(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
);

export const dispatchResults = lazy(() =>
  z.object({
    topic: z.string(),
    messageId: z.string(),
    results: z.array(z.object({ group: z.string(), status: z.enum(['PROCESSED', 'DUPLICATE']) })),
  }),
);
