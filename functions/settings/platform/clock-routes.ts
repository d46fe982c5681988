import * as z from 'zod';
import { ok } from '../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../shared/http/route.ts';
import { toInstant } from '../../../shared/primitives/clock.ts';
import { parseDuration } from '../../../shared/primitives/duration.ts';
import type { ClockService } from './clock-service.ts';

const MAX_MS = 366 * 86_400_000;

const advance = () =>
  z.strictObject({
    by: z
      .string()
      .transform((text) => parseDuration(text) ?? 0)
      .pipe(z.int('must be a duration such as PT48H').min(1).max(MAX_MS))
      .meta({
        type: 'string',
        description: 'Forward only: PT48H, 8d; at most 366 days at once, and 3660 in all.',
      }),
  });

/** The route by which tests advance the time of the caller's tenant; it exists on the stage local only. */
export function clockRoutes(clockService: ClockService): Route[] {
  return [
    route({
      operationId: 'advanceClock',
      tag: 'Clock',
      method: 'POST',
      path: '/api/v1/clock',
      summary: "Advances the time of the caller's tenant, for tests",
      description:
        'What is due by then is due from the next request on; other tenants keep their time.',
      access: permission('clock', 'edit'),
      body: advance,
      bodyExample: { by: 'PT48H' },
      responses: {
        200: {
          description: "The tenant's time",
          schema: () => z.object({ tenant: z.string().nullable(), now: z.iso.datetime() }),
          example: { tenant: 'acme', now: '2026-03-03T09:30:00.000Z' },
        },
      },
      concerns: ({ body }) => body,
      handle: async ({ body, principal: { tenant } }) => {
        const now = await clockService.advance(tenant, body.by);
        return ok({ tenant: tenant ?? null, now: toInstant(now) });
      },
    }),
  ];
}
