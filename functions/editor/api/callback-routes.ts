import * as z from 'zod';
import type { ErrorForm } from '../../../shared/http/error-form.ts';
import { ok } from '../../../shared/http/reply.ts';
import { parseJson } from '../../../shared/http/request.ts';
import { capability, type Route, rawRoute } from '../../../shared/http/route.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import type { CallbackService } from '../callbacks/callback-service.ts';
import type { EditorConfig } from '../configuration.ts';
import { problems } from '../errors.ts';

export interface CallbackRouteServices {
  readonly callbacks: OnDemand<CallbackService>;
}

/** With the history of long sessions a callback has megabytes, twice. */
const MAX_CALLBACK_BYTES = 5_000_000;

const query = lazy(() =>
  z.object({
    contextToken: z
      .string()
      .max(8_192)
      .optional()
      .describe('What was opened, from the configuration of an editor.'),
  }),
);

const callback = lazy(() =>
  z.looseObject({
    key: z.string().optional(),
    status: z.int().optional(),
    url: z.string().optional(),
    token: z.string().optional().describe('JWT over all of it; nothing else counts.'),
  }),
);

const done = lazy(() => z.object({ error: z.literal(0) }));

/** Texts are fixed: what was sent is in none of them. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The callback is not valid.',
  403: 'The callback is not permitted.',
  413: 'The document is too large.',
  415: 'The callback is not JSON.',
  503: 'The document cannot be saved now.',
};

const errorForm: ErrorForm = {
  get schema() {
    return z.object({ error: z.literal(1), message: z.string() });
  },
  // What cannot be written now is tried again with 503; the editing server repeats nothing after 4xx.
  statusOf: ({ status }) => (status >= 500 || status === 409 || status === 429 ? 503 : status),
  bodyOf: ({ status }) => ({
    error: 1,
    message: MESSAGES[status] ?? 'The callback could not be handled.',
  }),
};

/** Takes the saves of the editing server. */
export const callbackRoutes = (
  { callbacks }: CallbackRouteServices,
  { docs }: Pick<EditorConfig, 'docs'>,
): Route[] => [
  rawRoute({
    operationId: 'saveDocument',
    method: 'POST',
    path: docs.callbackPath,
    summary: 'Receives a callback of the document server',
    description:
      'Only what the JWT says counts. After 503 the editing server tries again; after any other error the document stays with it.',
    access: capability,
    lenient: true,
    query,
    body: callback,
    bodyExample: { key: 'dK3c', status: 1, users: ['demo'], token: 'eyJ' },
    maxBodyBytes: MAX_CALLBACK_BYTES,
    errorForm,
    responses: { 200: { description: 'It is stored', schema: done, example: { error: 0 } } },
    problems: [
      problems.contextTokenInvalid,
      problems.callbackTokenInvalid,
      problems.callbackInvalid,
      problems.saveTooLarge,
      problems.saveNotPossible,
    ],
    handle: async ({ query: { contextToken }, body, headers }) => {
      await callbacks.requireContext(contextToken);
      const header = headers[docs.tokenHeader.toLowerCase()];
      await callbacks.take({ contextToken, body: parseJson(body), header });
      return ok({ error: 0 });
    },
  }),
];
