import * as z from 'zod';
import type { HeaderObject, ParameterObject } from './document.ts';

/** The error document of every operation. @see RFC 9457 */
export const problemSchema = z
  .looseObject({
    type: z.string().describe('urn:svc-cloud:problem:<code>'),
    title: z.string().describe('What kind of problem it is.'),
    status: z.int().min(400).max(599),
    detail: z.string().describe('What happened this time.'),
    instance: z.string().describe('Path of the request.'),
    code: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/)
      .describe('Stable code to switch on.'),
    traceId: z.string().describe('Names the request in the logs.'),
    errors: z
      .array(
        z
          .looseObject({
            pointer: z.string().optional().describe('Place in the body, as a JSON Pointer.'),
            parameter: z
              .string()
              .optional()
              .describe('Name of the path, query or header parameter.'),
            code: z.string().describe('Code of the broken rule.'),
            detail: z.string(),
          })
          .describe('Further members tell the place in a model.')
          .meta({ id: 'ProblemItem' }),
      )
      .optional()
      .describe('Every mistake in the request.'),
  })
  .describe('Further members tell more of some problems.')
  .meta({ id: 'Problem' });

/** Request headers, by the key that operations refer to. */
export const headerParameters: Readonly<Record<string, ParameterObject>> = {
  TraceId: {
    name: 'X-Trace-Id',
    in: 'header',
    description:
      'Names the request in logs and messages: 1 to 64 letters, digits, ., _ and -. Others are ignored.',
    required: false,
    schema: { type: 'string' },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C trace context; it goes before X-Trace-Id. Others are ignored.',
    required: false,
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The call is done once for each key within 24 hours; a repetition gets the first answer.',
    required: false,
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The version that was read, quoted; any other stored version is a 412. `*` asks that it exists.',
    required: false,
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'With `*` only if it does not exist yet; other values are ignored.',
    required: false,
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`respond-async`: 202 before the work is done, with a resource to poll; other values are ignored.',
    required: false,
    schema: { type: 'string' },
  },
};

/** Headers of answers, by the key that answers refer to. */
export const responseHeaders: Readonly<Record<string, HeaderObject>> = {
  TraceId: {
    description: 'Names the request in the logs.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  IdempotencyReplayed: {
    description: 'true when this is the answer to an earlier call with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  WwwAuthenticate: {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', pattern: '^(Bearer|Signature)' },
  },
};
